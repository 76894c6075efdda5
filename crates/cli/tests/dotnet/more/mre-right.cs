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
    static int x;
    static void Main() {
        var e = new ManualResetEvent(false);
        var t = new Thread(() => { x = 1; e.Set(); });
        t.Start();
        e.WaitOne();
        Debug.Assert(x == 1);
        t.Join();
    }
}
