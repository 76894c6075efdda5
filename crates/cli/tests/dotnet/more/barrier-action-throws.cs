// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class BarrierActionThrows {
    static int caught;

    static void Meet(Barrier barrier) {
        try {
            barrier.SignalAndWait();
        } catch (BarrierPostPhaseException) {
            Interlocked.Increment(ref caught);
        }
    }

    static void Main() {
        var barrier = new Barrier(2, b => { throw new InvalidOperationException(); });
        var other = new Thread(() => Meet(barrier));
        other.Start();
        Meet(barrier);
        other.Join();
        Debug.Assert(caught == 2);
    }
}
