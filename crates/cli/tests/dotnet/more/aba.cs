// expect: sc violated
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class N {
    public int V;
    public N Next;
}
class Program {
    static N head;
    static N Pop() {
        N h, n;
        do {
            h = head;
            if (h == null) return null;
            n = h.Next;
        }
        while (Interlocked.CompareExchange(ref head, n, h) != h);
        return h;
    }
    static void Push(N n) {
        N h;
        do {
            h = head;
            n.Next = h;
        }
        while (Interlocked.CompareExchange(ref head, n, h) != h);
    }
    static void Main() {
        var b = new N { V = 2 };
        var a = new N { V = 1, Next = b };
        head = a;
        N got = null;
        var t = new Thread(() => got = Pop());
        t.Start();
        var x = Pop();
        var y = Pop();
        if (x != null) Push(x);
        t.Join();
        int c = 0;
        for (var n = head; n != null; n = n.Next) {
            c++;
            Debug.Assert(n != y);
        }
    }
}
