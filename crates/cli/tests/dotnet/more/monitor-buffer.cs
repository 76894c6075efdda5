// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics;
using System.Threading;
using System.Collections.Generic;
class Program {
    static readonly Queue<int> q = new Queue<int>();
    static int sum;
    static void Main() {
        var t = new Thread(() => { for (int i = 0; i < 2; i++) lock (q) { while (q.Count == 0) Monitor.Wait(q); sum += q.Dequeue(); } });
        t.Start();
        for (int i = 1; i <= 2; i++) lock (q) {
            q.Enqueue(i);
            Monitor.Pulse(q);
        }
        t.Join();
        Debug.Assert(sum == 3);
    }
}
