// A tournament barrier for two threads, with plain fields as in the Java Grande benchmarks: the loser of
// the round announces itself and waits, the winner waits for it and wakes it.
//
// expect: sc verified
// expect: pso violated assertion
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class Tournament
{
    static int arrived, woken;
    static int before0, before1;

    static void Winner()
    {
        before0 = 1;
        while (arrived == 0) { }
        woken = 1;
        Debug.Assert(before1 == 1, "the other has come to the barrier");
    }

    static void Loser()
    {
        before1 = 1;
        arrived = 1;
        while (woken == 0) { }
        Debug.Assert(before0 == 1, "the other has come to the barrier");
    }

    static void Main()
    {
        var winner = new Thread(Winner);
        var loser = new Thread(Loser);
        winner.Start();
        loser.Start();
        winner.Join();
        loser.Join();
    }
}
