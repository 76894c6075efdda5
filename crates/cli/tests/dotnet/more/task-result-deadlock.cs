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
    static Task<int> a, b;
    static void Main() {
        var go = new ManualResetEventSlim();
        a = Task.Run(() => { go.Wait(); return b.Result; });
        b = Task.Run(() => { go.Wait(); return a.Result; });
        go.Set();
        a.Wait();
    }
}
