// expect: sc verified
using System.Diagnostics;
using System.Threading;

class CancelLinked {
    static void Main() {
        var a = new CancellationTokenSource();
        var b = new CancellationTokenSource();
        var both = CancellationTokenSource.CreateLinkedTokenSource(a.Token, b.Token);
        int called = 0;
        both.Token.Register(() => called++);
        var other = new Thread(() => b.Cancel());
        other.Start();
        other.Join();
        Debug.Assert(both.IsCancellationRequested && !a.IsCancellationRequested && called == 1);
    }
}
