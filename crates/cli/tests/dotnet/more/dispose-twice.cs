// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class Resource : IDisposable {
    int disposed;
    public int Freed;

    public void Dispose() {
        if (Interlocked.Exchange(ref disposed, 1) == 0)
            Freed++;
    }
}

class DisposeTwice {
    static void Main() {
        var resource = new Resource();
        var other = new Thread(resource.Dispose);
        other.Start();
        resource.Dispose();
        other.Join();
        Debug.Assert(resource.Freed == 1);
    }
}
