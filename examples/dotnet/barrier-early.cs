// A barrier of our own, as one writes it at first: the last to come resets the count only after it has let the
// others go. One of them may be back before that, and is forgotten.
//
// expect: sc violated
using System.Threading;

class MyBarrier
{
    readonly int parties;
    int count;
    readonly ManualResetEventSlim[] gates = { new ManualResetEventSlim(), new ManualResetEventSlim() };

    public MyBarrier(int parties)
    {
        this.parties = parties;
    }

    public void SignalAndWait(int round)
    {
        var gate = gates[round % 2];
        if (Interlocked.Increment(ref count) == parties)
        {
            gate.Set();
            count = 0;
        }
        else
        {
            gate.Wait();
        }
    }
}

class Program
{
    static readonly MyBarrier barrier = new MyBarrier(2);

    static void Run()
    {
        barrier.SignalAndWait(0);
        barrier.SignalAndWait(1);
    }

    static void Main()
    {
        var other = new Thread(Run);
        other.Start();
        Run();
        other.Join();
    }
}
