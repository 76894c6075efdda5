// Publication by a plain store: nothing orders it after the data, nor the reads.
//
// expect: sc verified
// expect: tso verified
// expect: pso violated assertion
// expect: rc11 violated assertion
using System.Diagnostics;
using System.Threading;

class Program
{
    static int data, ready;

    static void Main()
    {
        var writer = new Thread(() =>
        {
            data = 42;
            ready = 1;
        });
        writer.Start();
        if (ready == 1)
            Debug.Assert(data == 42, "who sees the flag sees the data");
        writer.Join();
    }
}
