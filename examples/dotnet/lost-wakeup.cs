// A producer and a consumer with a monitor, and the mistake that everybody makes once: Pulse wakes one thread, and
// with two that wait for different things it may be the wrong one.
//
// expect: sc violated deadlock
using System.Threading;

class Slot
{
    bool full;

    public void Put()
    {
        lock (this)
        {
            while (full)
                Monitor.Wait(this);
            full = true;
            Monitor.Pulse(this);
        }
    }

    public void Take()
    {
        lock (this)
        {
            while (!full)
                Monitor.Wait(this);
            full = false;
            Monitor.Pulse(this);
        }
    }
}

class Program
{
    static readonly Slot slot = new Slot();

    static void Produce()
    {
        slot.Put();
        slot.Put();
    }

    static void Main()
    {
        var threads = new[] { new Thread(Produce), new Thread(slot.Take), new Thread(slot.Take) };
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
    }
}
