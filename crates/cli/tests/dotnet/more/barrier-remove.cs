// expect: sc verified
using System.Diagnostics;
using System.Threading;

class BarrierRemove {
    static void Main() {
        var barrier = new Barrier(2);
        var other = new Thread(() => barrier.RemoveParticipant());
        other.Start();
        barrier.SignalAndWait();
        other.Join();
        Debug.Assert(barrier.ParticipantCount == 1);
    }
}
