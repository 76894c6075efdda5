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
        var s = new ConcurrentStack<int>();
        var t = new Thread(() => { s.Push(1); s.Push(2); });
        t.Start();
        int x;
        bool a = s.TryPop(out x);
        t.Join();
        int y;
        Debug.Assert(s.TryPop(out y));
        Debug.Assert(!a || x != y);
    }
}
