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
    static int x;
    static int k = 1;
    static void W() {
        lock ((object)k) {
            x = x + 1;
        }
    }
    static void Main() {
        var t = new Thread(W);
        t.Start();
        W();
        t.Join();
        Debug.Assert(x == 2);
    }
}
