// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Collections.Concurrent;
class Program {
    static void Main() {
        var q = new ConcurrentQueue<int>();
        var t = new Thread(() => q.Enqueue(1));
        t.Start();
        q.Enqueue(2);
        t.Join();
        int a, b;
        Debug.Assert(q.TryDequeue(out a));
        Debug.Assert(q.TryDequeue(out b));
        Debug.Assert(a + b == 3);
        Debug.Assert(q.IsEmpty);
    }
}
