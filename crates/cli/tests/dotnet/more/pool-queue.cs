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
    static int n;
    static void Main() {
        var c = new CountdownEvent(2);
        for (int i = 0; i < 2; i++) ThreadPool.QueueUserWorkItem(_ => { Interlocked.Increment(ref n); c.Signal(); });
        c.Wait();
        Debug.Assert(n == 2);
    }
}
