// expect: sc verified
using System; using System.Diagnostics; using System.Threading;
class Program {
    static void Main() {
        var source = new CancellationTokenSource(); var token = source.Token; int rounds = 0;
        var t = new Thread(() => { while (!token.IsCancellationRequested) Thread.Yield(); rounds = 1; }); t.Start();
        source.Cancel(); t.Join(); Debug.Assert(rounds == 1);
        try { token.ThrowIfCancellationRequested(); Debug.Assert(false); } catch (OperationCanceledException) { }
    }
}
