// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;
class Program {
    static void Main() {
        var e = new ManualResetEvent(false);
        var t = new Timer(_ => e.Set(), null, 10, Timeout.Infinite);
        e.WaitOne();
        t.Dispose();
    }
}
