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
        var s = new Semaphore(0, 2);
        var t = new Thread(() => { x = 1; s.Release(2); });
        t.Start();
        s.WaitOne();
        s.WaitOne();
        Debug.Assert(x == 1);
        t.Join();
    }
}
