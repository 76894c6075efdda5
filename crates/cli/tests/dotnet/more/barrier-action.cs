// expect: sc verified
using System.Diagnostics;
using System.Threading;

class BarrierAction {
    static int count, actions;

    static void Main() {
        var barrier = new Barrier(2, b => { Debug.Assert(count == 2); actions++; });
        var other = new Thread(() => { Interlocked.Increment(ref count); barrier.SignalAndWait(); });
        other.Start();
        Interlocked.Increment(ref count);
        barrier.SignalAndWait();
        Debug.Assert(actions == 1 && barrier.CurrentPhaseNumber == 1);
        other.Join();
    }
}
