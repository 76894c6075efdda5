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
        var r = new Random(42);
        int a = r.Next(10);
        Debug.Assert(a >= 0 && a < 10);
        int b = new Random(42).Next(10);
        Debug.Assert(a == b);
    }
}
