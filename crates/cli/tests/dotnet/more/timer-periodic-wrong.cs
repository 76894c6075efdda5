// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class TimerPeriodicOnce {
    static int ticks;

    static void Main() {
        var first = new ManualResetEvent(false);
        var timer = new Timer(_ => { Interlocked.Increment(ref ticks); first.Set(); }, null, 0, 10);
        first.WaitOne();
        Debug.Assert(Volatile.Read(ref ticks) == 1);
        timer.Dispose();
    }
}
