// expect: sc violated
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
        made++;
    }
}
class Program {
    static Lazy<C> l = new Lazy<C>(() => new C(), LazyThreadSafetyMode.None);
    static void Main() {
        var t = new Thread(() => { try { var x = l.Value; } catch (InvalidOperationException) { } });
        t.Start();
        try {
            var y = l.Value;
        } catch (InvalidOperationException) { }
        t.Join();
        Debug.Assert(C.made == 1);
    }
}
