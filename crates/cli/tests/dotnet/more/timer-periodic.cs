// expect: sc verified
using System.Diagnostics;
using System.Threading;

class TimerPeriodic {
    static int ticks;

    static void Main() {
        var enough = new ManualResetEvent(false);
        var timer = new Timer(_ => { if (Interlocked.Increment(ref ticks) == 2) enough.Set(); }, null, 0, 10);
        enough.WaitOne();
        timer.Dispose();
        Debug.Assert(Volatile.Read(ref ticks) >= 2);
    }
}
