// The same lock, taken by a test and a store: two threads may pass the test.
//
// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class WordLock
{
    volatile int taken;

    public void Enter()
    {
        while (taken != 0) { }
        taken = 1;
    }

    public void Exit()
    {
        taken = 0;
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
        var other = new Thread(Run);
        other.Start();
        Run();
        other.Join();
        Debug.Assert(counter == 2, "no increment is lost");
    }
}
