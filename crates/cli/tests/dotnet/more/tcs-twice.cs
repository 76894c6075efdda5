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
        var t = new TaskCompletionSource<int>();
        var h = new Thread(() => t.SetResult(1));
        h.Start();
        t.SetResult(2);
        h.Join();
    }
}
