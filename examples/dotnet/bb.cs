// A bounded buffer of one place, with a producer and two consumers.
//
// expect: sc verified
// expect: tso verified
// states: dotnet-ecma verified
// long-states: dotnet verified
using System.Diagnostics;
using System.Threading;

class Buffer
{
    readonly int[] items = new int[1];
    int count;

    public void Put(int item)
    {
        lock (this)
        {
            while (count == items.Length)
                Monitor.Wait(this);
            items[count++] = item;
            Monitor.PulseAll(this);
        }
    }

    public int Take()
    {
        lock (this)
        {
            while (count == 0)
                Monitor.Wait(this);
            int item = items[--count];
            Monitor.PulseAll(this);
            return item;
        }
    }
}

class Program
{
    static readonly Buffer buffer = new Buffer();
    static int sum;

    static void Produce()
    {
        buffer.Put(1);
        buffer.Put(2);
    }

    static void Consume()
    {
        Interlocked.Add(ref sum, buffer.Take());
    }

    static void Main()
    {
        var producer = new Thread(Produce);
        var first = new Thread(Consume);
        var second = new Thread(Consume);
        producer.Start();
        first.Start();
        second.Start();
        producer.Join();
        first.Join();
        second.Join();
        Debug.Assert(sum == 3, "everything is taken once");
    }
}
