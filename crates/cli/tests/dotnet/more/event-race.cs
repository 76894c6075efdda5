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
    static event Action E;
    static void H() { }
    static void Main() {
        E += H;
        var t = new Thread(() => E -= H);
        t.Start();
        if (E != null) E();
        t.Join();
    }
}
