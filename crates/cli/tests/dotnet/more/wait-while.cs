// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Q {
    readonly Queue<int> q = new Queue<int>();
    public void Put(int x) {
        lock (q) {
            q.Enqueue(x);
            Monitor.PulseAll(q);
        }
    }
    public int Get() {
        lock (q) {
            while (q.Count == 0) Monitor.Wait(q);
            return q.Dequeue();
        }
    }
}
class Program {
    static void Main() {
        var q = new Q();
        int s = 0;
        var t = new Thread(() => Interlocked.Add(ref s, q.Get()));
        var u = new Thread(() => Interlocked.Add(ref s, q.Get()));
        t.Start();
        u.Start();
        q.Put(1);
        q.Put(2);
        t.Join();
        u.Join();
        Debug.Assert(s == 3);
    }
}
