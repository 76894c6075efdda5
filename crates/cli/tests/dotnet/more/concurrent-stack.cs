// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Collections.Concurrent;
class Program {
    static void Main() {
        var s = new ConcurrentStack<int>(); 
        var t = new Thread(() => s.Push(1)); t.Start(); s.Push(2); t.Join();
        int a, b; Debug.Assert(s.TryPop(out a)); Debug.Assert(s.TryPop(out b)); Debug.Assert(a + b == 3);
    }
}
