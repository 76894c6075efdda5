// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;
struct Pair {
    public long A, B;
}
class Program {
    static Pair p;
    static void Main() {
        var t = new Thread(() => p = new Pair { A = 1, B = 1 });
        t.Start();
        Pair w = p;
        t.Join();
        Debug.Assert(w.A == w.B, "torn");
    }
}
