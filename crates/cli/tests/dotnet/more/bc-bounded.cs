// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class BlockingBounded {
    static void Main() {
        var items = new BlockingCollection<int>(1);
        var producer = new Thread(() => {
            items.Add(1);
            items.Add(2);
            items.CompleteAdding();
        });
        producer.Start();
        Debug.Assert(items.Take() == 1 && items.Take() == 2);
        producer.Join();
        Debug.Assert(items.IsCompleted);
    }
}
