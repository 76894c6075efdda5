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
    static void Main() {
        var c = new CountdownEvent(1);
        var t = new Thread(() => c.Signal());
        t.Start();
        c.Signal();
        t.Join();
    }
}
