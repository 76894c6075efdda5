// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class QueueTwoTakers {
    static readonly ConcurrentQueue<int> queue = new ConcurrentQueue<int>();

    static void Main() {
        queue.Enqueue(1);
        int a = 0, b = 0;
        var other = new Thread(() => queue.TryDequeue(out a));
        other.Start();
        queue.TryDequeue(out b);
        other.Join();
        Debug.Assert(a + b == 1 && queue.IsEmpty);
    }
}
