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
        var d = new ConcurrentDictionary<int, object>();
        object a = null;
        var t = new Thread(() => a = d.GetOrAdd(1, k => new object()));
        t.Start();
        var b = d.GetOrAdd(1, k => new object());
        t.Join();
        Debug.Assert(a == b && d.Count == 1);
    }
}
