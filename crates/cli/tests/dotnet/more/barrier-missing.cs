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
        var b = new Barrier(3);
        var t = new Thread(() => b.SignalAndWait());
        t.Start();
        b.SignalAndWait();
        t.Join();
    }
}
