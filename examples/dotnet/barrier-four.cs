// The class library's own Barrier, as it is: four threads meet four times. By all states, as there are far too
// many executions: nobody leaves before all have come, nobody waits for ever, and no exception that the library
// has for such cases is thrown.
//
// long-states: sc verified
using System.Diagnostics;
using System.Threading;

class Program
{
    const int Threads = 4, Rounds = 4;
    static readonly Barrier barrier = new Barrier(Threads);
    static int arrived;

    static void Work()
    {
        for (int round = 1; round <= Rounds; round++)
        {
            Interlocked.Increment(ref arrived);
            barrier.SignalAndWait();
            Debug.Assert(arrived >= round * Threads, "nobody leaves before all have come");
        }
    }

    static void Main()
    {
        var threads = new Thread[Threads - 1];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(Work);
            threads[i].Start();
        }
        Work();
        foreach (var thread in threads)
            thread.Join();
    }
}
