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
    static int a;
    static readonly SpinLock l = new SpinLock(false);
    static void W() {
        bool k = false;
        l.Enter(ref k);
        a++;
    }
    static void Main() {
        var t = new Thread(W);
        t.Start();
        W();
        t.Join();
        Debug.Assert(a == 2);
    }
}
