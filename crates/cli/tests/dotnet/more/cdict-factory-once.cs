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
    static int made;
    static void Main() {
        var d = new ConcurrentDictionary<int, object>();
        var t = new Thread(() => d.GetOrAdd(1, k => { Interlocked.Increment(ref made); return new object(); }));
        t.Start();
        d.GetOrAdd(1, k => { Interlocked.Increment(ref made); return new object(); });
        t.Join();
        Debug.Assert(made == 1);
    }
}
