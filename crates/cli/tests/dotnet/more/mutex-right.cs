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
    static Mutex m = new Mutex();
    static void W() {
        m.WaitOne();
        x++;
        m.ReleaseMutex();
    }
    static void Main() {
        var t = new Thread(W);
        t.Start();
        W();
        t.Join();
        Debug.Assert(x == 2);
    }
}
