// expect: sc violated unhandled-exception
using System.Collections.Generic;
using System.Threading;

class ReleaseFirst {
    static readonly Queue<int> items = new Queue<int>();
    static readonly SemaphoreSlim available = new SemaphoreSlim(0);

    static void Main() {
        var writer = new Thread(() => {
            available.Release();
            lock (items)
                items.Enqueue(1);
        });
        writer.Start();
        available.Wait();
        lock (items)
            items.Dequeue();
        writer.Join();
    }
}
