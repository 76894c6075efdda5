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
    static void Main() {
        int x = 0;
        var t = Task.Run(() => { x = 1; }).ContinueWith(p => { x *= 10; return x; });
        Debug.Assert(t.Result == 10);
    }
}
