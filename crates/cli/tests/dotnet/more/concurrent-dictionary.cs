// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Collections.Concurrent;
class Program {
    static void Main() {
        var d = new ConcurrentDictionary<int, int>();
        var t = new Thread(() => d.AddOrUpdate(1, 1, (k, v) => v + 1)); t.Start(); d.AddOrUpdate(1, 1, (k, v) => v + 1); t.Join();
        Debug.Assert(d[1] == 2);
    }
}
