// expect: dotnet verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static long v;
    static void Main() {
        var t = new Thread(() => v = -1);
        t.Start();
        long x = v;
        t.Join();
        Debug.Assert(x == 0 || x == -1);
    }
}
