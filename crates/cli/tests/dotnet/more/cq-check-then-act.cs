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
        var q = new ConcurrentQueue<int>();
        q.Enqueue(1);
        var t = new Thread(() => { int y; q.TryDequeue(out y); });
        t.Start();
        if (!q.IsEmpty) {
            int x;
            bool ok = q.TryDequeue(out x);
            Debug.Assert(ok);
        }
        t.Join();
    }
}
