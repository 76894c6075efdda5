// A reference publishes its own object, and no other one: the writer fills a record, and then stores a
// reference to something else that stands for "ready". Today's runtime does not keep the two stores in order.
//
// expect: sc verified
// expect: tso verified
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class Record
{
    public int Value;
}

class Program
{
    static readonly Record record = new Record();
    static object ready;

    static void Fill()
    {
        record.Value = 42;
        ready = new object();
    }

    static void Main()
    {
        var writer = new Thread(Fill);
        writer.Start();
        bool seen = ready != null;
        Thread.MemoryBarrier();
        if (seen)
            Debug.Assert(record.Value == 42, "what is ready is filled");
        writer.Join();
    }
}
