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
        int n = 0;
        var t = new Thread(() => { while (!c.Token.IsCancellationRequested) { Thread.Yield(); } n = 1; });
        t.Start();
        c.Cancel();
        t.Join();
        Debug.Assert(n == 1);
    }
}
