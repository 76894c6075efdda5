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
    static object o = new object();
    static void Main() {
        object a = null;
        var t = new Thread(() => a = Interlocked.Exchange(ref o, null));
        t.Start();
        var b = Interlocked.Exchange(ref o, null);
        t.Join();
        Debug.Assert((a == null) != (b == null));
    }
}
