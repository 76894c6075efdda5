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
    static int inside;
    static SemaphoreSlim s = new SemaphoreSlim(1);
    static void W() {
        s.Wait();
        inside++;
        Debug.Assert(inside == 1);
        inside--;
        s.Release();
    }
    static void Main() {
        var t = new Thread(W);
        t.Start();
        W();
        t.Join();
    }
}
