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
        var s = new SemaphoreSlim(1, 1);
        var t = new Thread(() => { s.Wait(); s.Release(); s.Release(); });
        t.Start();
        t.Join();
    }
}
