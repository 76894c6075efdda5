// expect: sc verified
// A callback is called once, by whoever cancels, or at once by whoever registers.
using System.Diagnostics;
using System.Threading;

class CancelRegisterRace {
    static int called;

    static void Main() {
        var source = new CancellationTokenSource();
        var other = new Thread(() => source.Cancel());
        other.Start();
        source.Token.Register(() => Interlocked.Increment(ref called));
        other.Join();
        Debug.Assert(called == 1);
    }
}
