// expect: sc verified
// check: --engine states
using System.Diagnostics; using System.Threading;
class Program {
    static int a, b;
    static void Main() {
        using (var bar = new Barrier(2)) {
            var t = new Thread(() => { a = 1; bar.SignalAndWait(); Debug.Assert(b == 1); }); t.Start();
            b = 1; bar.SignalAndWait(); Debug.Assert(a == 1); t.Join();
        }
    }
}
