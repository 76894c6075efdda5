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
    static void Main() {
        var b = new ConcurrentBag<int>();
        var t = new Thread(() => b.Add(1));
        t.Start();
        b.Add(2);
        t.Join();
        int s = 0, x;
        while (b.TryTake(out x)) s += x;
        Debug.Assert(s == 3);
    }
}
