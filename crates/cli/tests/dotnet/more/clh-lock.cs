// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class ClhNode {
    public volatile bool Busy;
}

class ClhLock {
    static ClhNode tail = new ClhNode();
    static int count;

    static void Add() {
        var own = new ClhNode { Busy = true };
        var before = Interlocked.Exchange(ref tail, own);
        while (before.Busy)
            Thread.Yield();
        count++;
        own.Busy = false;
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
