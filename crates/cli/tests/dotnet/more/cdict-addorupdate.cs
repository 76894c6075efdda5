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
        var d = new ConcurrentDictionary<string, int>();
        var t = new Thread(() => d.AddOrUpdate("a", 1, (k, v) => v + 1));
        t.Start();
        d.AddOrUpdate("a", 1, (k, v) => v + 1);
        t.Join();
        Debug.Assert(d["a"] == 2);
    }
}
