// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Node {
    public int V;
    public Node Next;
}
class Program {
    static Node head;
    static void Push(int v) {
        var n = new Node { V = v };
        Node h;
        do {
            h = head;
            n.Next = h;
        }
        while (Interlocked.CompareExchange(ref head, n, h) != h);
    }
    static void Main() {
        var t = new Thread(() => Push(1));
        t.Start();
        Push(2);
        t.Join();
        int s = 0;
        for (var n = head; n != null; n = n.Next) s += n.V;
        Debug.Assert(s == 3);
    }
}
