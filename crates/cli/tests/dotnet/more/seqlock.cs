// expect: sc verified
// expect: dotnet violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static int seq, x, y;
    static void Main() {
        var t = new Thread(() => { seq++; x = 1; y = 1; seq++; }); t.Start();
        int s = seq, a = x, b = y;
        if (s % 2 == 0 && s == seq) Debug.Assert(a == b, "torn");
        t.Join();
    }
}
