// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class TicketLock {
    static int next, serving, count;

    static void Add() {
        int own = Interlocked.Increment(ref next) - 1;
        while (Volatile.Read(ref serving) != own)
            Thread.Yield();
        count++;
        Volatile.Write(ref serving, own + 1);
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
