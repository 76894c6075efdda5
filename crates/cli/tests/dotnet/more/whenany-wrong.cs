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
        var a = Task.Run(() => 1);
        var b = Task.Run(() => 2);
        var f = Task.WhenAny(a, b).Result;
        Debug.Assert(f.Result == 1);
    }
}
