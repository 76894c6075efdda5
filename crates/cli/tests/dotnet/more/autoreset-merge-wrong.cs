// expect: sc violated deadlock
// Two Sets with nobody waiting are one.
using System.Threading;

class AutoResetMerge {
    static readonly AutoResetEvent gate = new AutoResetEvent(false);

    static void Main() {
        var other = new Thread(() => { gate.WaitOne(); gate.WaitOne(); });
        other.Start();
        gate.Set();
        gate.Set();
        other.Join();
    }
}
