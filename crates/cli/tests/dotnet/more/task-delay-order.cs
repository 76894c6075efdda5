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
    static int n;
    static async Task F() {
        await Task.Delay(100);
        n = 1;
    }
    static void Main() {
        var t = F();
        n = 2;
        t.Wait();
        Debug.Assert(n == 2);
    }
}
