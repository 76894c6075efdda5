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
    static int s;
    static void Main() {
        var ts = new Thread[2];
        for (int i = 0; i < 2; i++) {
            ts[i] = new Thread(o => Interlocked.Add(ref s, (int)o));
            ts[i].Start(i + 1);
        }
        foreach (var t in ts) t.Join();
        Debug.Assert(s == 3);
    }
}
