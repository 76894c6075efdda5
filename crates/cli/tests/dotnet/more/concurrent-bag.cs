// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Collections.Concurrent;
class Program {
    static void Main() {
        var s = new ConcurrentBag<int>(); 
        var t = new Thread(() => s.Add(1)); t.Start(); s.Add(2); t.Join();
        int a, b; Debug.Assert(s.TryTake(out a)); Debug.Assert(s.TryTake(out b)); Debug.Assert(a + b == 3);
    }
}
