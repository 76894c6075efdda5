// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;
class Program {
    static int x;
    static void Main() {
        var go = new AutoResetEvent(false);
        var back = new AutoResetEvent(false);
        var t = new Thread(() => { go.WaitOne(); x++; back.Set(); });
        t.Start();
        x = 1;
        go.Set();
        back.WaitOne();
        Debug.Assert(x == 2);
        t.Join();
    }
}
