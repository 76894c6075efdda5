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
        var c = new CountdownEvent(2);
        for (int i = 0; i < 2; i++) new Thread(() => { Interlocked.Increment(ref x); c.Signal(); }).Start();
        c.Wait();
        Debug.Assert(x == 2);
    }
}
