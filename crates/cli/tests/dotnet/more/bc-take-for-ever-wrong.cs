// expect: sc violated deadlock
using System.Collections.Concurrent;
using System.Threading;

class TakeForEver {
    static void Main() {
        var items = new BlockingCollection<int>();
        var consumer = new Thread(() => { items.Take(); items.Take(); });
        consumer.Start();
        items.Add(1);
        consumer.Join();
    }
}
