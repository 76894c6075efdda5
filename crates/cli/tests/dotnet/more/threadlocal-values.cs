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
        var l = new ThreadLocal<int>(() => 5, true);
        var t = new Thread(() => l.Value++);
        t.Start();
        l.Value += 2;
        t.Join();
        Debug.Assert(l.Value == 7 && l.Values.Sum() == 13);
    }
}
