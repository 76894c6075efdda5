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
        var f = new object[3];
        for (int i = 0; i < 3; i++) f[i] = new object();
        var ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int k = i;
            ts[i] = new Thread(() => { lock (f[k]) lock (f[(k + 1) % 3]) { } });
            ts[i].Start();
        }
        foreach (var t in ts) t.Join();
    }
}
