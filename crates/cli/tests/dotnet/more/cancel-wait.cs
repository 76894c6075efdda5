// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static void Main() {
        var c = new CancellationTokenSource();
        var e = new ManualResetEventSlim();
        bool cancelled = false;
        var t = new Thread(() => { try { e.Wait(c.Token); } catch (OperationCanceledException) { cancelled = true; } });
        t.Start();
        c.Cancel();
        t.Join();
        Debug.Assert(cancelled);
    }
}
