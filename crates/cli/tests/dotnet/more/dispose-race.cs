// expect: sc violated assertion
using System;
using System.Diagnostics;
using System.Threading;
class Handle : IDisposable {
    int disposed;
    public int Closed;
    public void Dispose() {
        if (disposed == 0) {
            disposed = 1;
            Closed++;
        }
    }
}
class Program {
    static void Main() {
        var h = new Handle();
        var t = new Thread(h.Dispose);
        t.Start();
        h.Dispose();
        t.Join();
        Debug.Assert(h.Closed == 1, "once");
    }
}
