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
        var d = new ConcurrentDictionary<string, int>();
        d["a"] = 0;
        var t = new Thread(() => d["a"] = d["a"] + 1);
        t.Start();
        d["a"] = d["a"] + 1;
        t.Join();
        Debug.Assert(d["a"] == 2);
    }
}
