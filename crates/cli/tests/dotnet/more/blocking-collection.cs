// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Collections.Concurrent;
class Program {
    static void Main() {
        var c = new BlockingCollection<int>(1);
        var t = new Thread(() => { c.Add(1); c.CompleteAdding(); }); t.Start();
        int sum = 0; foreach (int x in c.GetConsumingEnumerable()) sum += x; t.Join();
        Debug.Assert(sum == 1);
    }
}
