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
    static event Action E;
    static int n;
    static void H() {
        n++;
    }
    static void Main() {
        var t = new Thread(() => E += H);
        t.Start();
        E += H;
        t.Join();
        E();
        Debug.Assert(n == 2);
    }
}
