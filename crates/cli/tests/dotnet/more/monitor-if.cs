// expect: sc violated
using System.Diagnostics; using System.Threading; using System.Collections.Generic;
class Program {
    static readonly Queue<int> q = new Queue<int>();
    static void Take() { lock (q) { if (q.Count == 0) Monitor.Wait(q); q.Dequeue(); } }
    static void Main() {
        var a = new Thread(Take); var b = new Thread(Take); a.Start(); b.Start();
        lock (q) { q.Enqueue(1); Monitor.Pulse(q); } lock (q) { q.Enqueue(2); Monitor.PulseAll(q); }
        a.Join(); b.Join();
    }
}
