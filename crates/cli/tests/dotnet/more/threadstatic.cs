// expect: sc violated assertion
// The initial value is for the thread that comes first, which may be the other one.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    [ThreadStatic] static int x = 3;
    static void Main() {
        int seen = -1;
        var t = new Thread(() => { seen = x; x = 9; });
        t.Start();
        x++;
        t.Join();
        Debug.Assert(x == 4 && seen == 0);
    }
}
