// expect: sc violated
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
        var e = new AutoResetEvent(false);
        ThreadStart w = () => e.WaitOne();
        var t = new Thread(w);
        var u = new Thread(w);
        t.Start();
        u.Start();
        e.Set();
        e.Set();
        t.Join();
        u.Join();
    }
}
