// expect: sc violated
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
            if (q.Count == 0) Monitor.Wait(q);
            return q.Dequeue();
        }
    }
}
class Program {
    static void Main() {
        var q = new Q();
        var t = new Thread(() => q.Get());
        var u = new Thread(() => q.Get());
        t.Start();
        u.Start();
        q.Put(1);
        q.Put(2);
        t.Join();
        u.Join();
    }
}
