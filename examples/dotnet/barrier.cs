// The class library's own Barrier, interpreted as it is: two threads meet twice, and nobody goes on before all
// have come.
//
// expect: sc verified
using System.Diagnostics;
using System.Threading;

class Phases
{
    const int Threads = 2, Rounds = 2;
    static readonly Barrier barrier = new Barrier(Threads);
    static readonly int[] rounds = new int[Threads];

    static void Run(object number)
    {
        int me = (int)number;
        for (int round = 1; round <= Rounds; round++)
        {
            rounds[me] = round;
            barrier.SignalAndWait();
            Debug.Assert(rounds[1 - me] >= round, "the other has come, too");
        }
    }

    static void Main()
    {
        var other = new Thread(Run);
        other.Start(1);
        Run(0);
        other.Join();
    }
}
