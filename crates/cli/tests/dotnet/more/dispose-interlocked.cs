// expect: sc verified
// expect: dotnet verified
using System;
using System.Diagnostics;
using System.Threading;
class Handle : IDisposable {
    int disposed;
    public int Closed;
    public void Dispose() {
        if (Interlocked.Exchange(ref disposed, 1) == 0) Closed++;
    }
}
class Program {
    static void Main() {
        using (var h = new Handle()) {
            var t = new Thread(h.Dispose);
            t.Start();
            h.Dispose();
            t.Join();
            Debug.Assert(h.Closed == 1, "once");
        }
    }
}
