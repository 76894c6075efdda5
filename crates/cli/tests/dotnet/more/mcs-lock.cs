// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Node {
    public volatile Node Next;
    public volatile bool Locked;
}

class McsLock {
    static Node tail;
    static int count;

    static void Add() {
        var own = new Node { Locked = true };
        var before = Interlocked.Exchange(ref tail, own);
        if (before != null) {
            before.Next = own;
            while (own.Locked)
                Thread.Yield();
        }
        count++;
        if (own.Next == null) {
            if (Interlocked.CompareExchange(ref tail, null, own) == own)
                return;
            while (own.Next == null)
                Thread.Yield();
        }
        own.Next.Locked = false;
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
