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
    static ImmutableBox s = new ImmutableBox(0);
    class ImmutableBox {
        public readonly int V;
        public ImmutableBox(int v) {
            V = v;
        }
    }
    static void Inc() {
        ImmutableBox o, n;
        do {
            o = Volatile.Read(ref s);
            n = new ImmutableBox(o.V + 1);
        }
        while (Interlocked.CompareExchange(ref s, n, o) != o);
    }
    static void Main() {
        var t = new Thread(Inc);
        t.Start();
        Inc();
        t.Join();
        Debug.Assert(s.V == 2);
    }
}
