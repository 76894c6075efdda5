// expect: sc violated unhandled-exception
using System.Collections.Concurrent;
using System.Threading;

class AddAfterComplete {
    static void Main() {
        var items = new BlockingCollection<int>();
        var producer = new Thread(() => items.Add(1));
        producer.Start();
        items.CompleteAdding();
        producer.Join();
    }
}
