// Two things that are done once, each of which needs the other: two threads wait for each other. A
// compare-and-exchange that fails may be taken to have read what was written in other executions, which
// does not come true here.
// expect: sc violated
// expect: dotnet-ecma violated
// states: sc violated non-termination
// long-states: dotnet-ecma violated non-termination
using System;
using System.Threading;

class Program
{
    static int first, second;

    static void Once(ref int state, Action run)
    {
        while (true)
        {
            int old = Interlocked.CompareExchange(ref state, 1, 0);
            if (old == 0)
            {
                run();
                Volatile.Write(ref state, 2);
                return;
            }
            if (old == 2) return;
        }
    }

    static void First() { Once(ref first, () => { if (first == 1) Once(ref second, () => { }); }); }
    static void Second() { Once(ref second, () => { if (second == 1) Once(ref first, () => { }); }); }

    static void Main()
    {
        var thread = new Thread(First);
        thread.Start();
        Second();
        thread.Join();
    }
}
