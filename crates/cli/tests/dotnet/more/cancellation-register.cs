// expect: sc verified
using System; using System.Diagnostics; using System.Threading;
class Program {
    static int called;
    static void Main() {
        var source = new CancellationTokenSource(); source.Token.Register(() => Interlocked.Increment(ref called));
        var t = new Thread(() => source.Cancel()); t.Start(); source.Cancel(); t.Join(); Debug.Assert(called == 1);
    }
}
