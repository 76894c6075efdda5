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
    static int n;
    static Lazy<int> l = new Lazy<int>(() => { if (Interlocked.Increment(ref n) == 1) throw new Exception("first"); return 5; }, LazyThreadSafetyMode.PublicationOnly);
    static int Get() {
        try {
            return l.Value;
        } catch (Exception) {
            return l.Value;
        }
    }
    static void Main() {
        int a = 0;
        var t = new Thread(() => a = Get());
        t.Start();
        int b = Get();
        t.Join();
        Debug.Assert(a == 5 && b == 5);
    }
}
