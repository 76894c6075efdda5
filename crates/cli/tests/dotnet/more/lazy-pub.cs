// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class C {
    public static int made;
    public C() {
        Interlocked.Increment(ref made);
    }
}
class Program {
    static Lazy<C> l = new Lazy<C>(() => new C(), LazyThreadSafetyMode.PublicationOnly);
    static void Main() {
        C a = null;
        var t = new Thread(() => a = l.Value);
        t.Start();
        var y = l.Value;
        t.Join();
        Debug.Assert(C.made <= 2 && a == y);
    }
}
