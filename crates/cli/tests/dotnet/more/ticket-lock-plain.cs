// expect: sc verified
// expect: dotnet violated assertion
// Giving the lock back by an ordinary write: what was done under it may come later.
using System.Diagnostics;
using System.Threading;

class TicketLockPlain {
    static int next, serving, count;

    static void Add() {
        int own = Interlocked.Increment(ref next) - 1;
        while (Volatile.Read(ref serving) != own)
            Thread.Yield();
        count++;
        serving = own + 1;
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
