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
        var q = new ConcurrentQueue<int>();
        var t = new Thread(() => { q.Enqueue(1); q.Enqueue(2); });
        t.Start();
        int x, y;
        bool a = q.TryDequeue(out x), b = q.TryDequeue(out y);
        t.Join();
        Debug.Assert(!a || x == 1);
        Debug.Assert(!(a && b) || y == 2);
        Debug.Assert(q.Count == 2 - (a ? 1 : 0) - (b ? 1 : 0));
    }
}
