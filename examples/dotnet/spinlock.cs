// A lock of one word, taken by compare-and-exchange and released by a volatile write.
//
// expect: sc verified
// expect: tso verified
using System.Diagnostics;
using System.Threading;

class WordLock
{
    int taken;

    public void Enter()
    {
        while (Interlocked.CompareExchange(ref taken, 1, 0) != 0)
            Thread.Yield();
    }

    public void Exit()
    {
        Volatile.Write(ref taken, 0);
    }
}

class Program
{
    static readonly WordLock gate = new WordLock();
    static int counter;

    static void Run()
    {
        gate.Enter();
        counter++;
        gate.Exit();
    }

    static void Main()
    {
        var threads = new[] { new Thread(Run), new Thread(Run), new Thread(Run) };
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        Debug.Assert(counter == 3, "no increment is lost");
    }
}
