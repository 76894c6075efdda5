// expect: sc violated assertion
// A timer does not wait until its callback is over before it fires again.
using System.Diagnostics;
using System.Threading;

class TimerOverlaps {
    static int inside;

    static void Tick(object state) {
        Debug.Assert(Interlocked.Increment(ref inside) == 1);
        Interlocked.Decrement(ref inside);
    }

    static void Main() {
        var timer = new Timer(Tick, null, 0, 10);
        Thread.Sleep(100);
        timer.Dispose();
    }
}
