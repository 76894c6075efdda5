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
        var b = new BlockingCollection<int>(1);
        var t = new Thread(() => { b.Add(7); b.CompleteAdding(); });
        t.Start();
        int s = 0;
        foreach (var x in b.GetConsumingEnumerable()) s += x;
        t.Join();
        Debug.Assert(s == 7);
    }
}
