// expect: sc violated deadlock
// The inner wait gives the inner lock back, and not the outer one.
using System.Threading;

class NestedMonitor {
    static readonly object outer = new object(), inner = new object();
    static bool ready;

    static void Main() {
        var other = new Thread(() => {
            lock (outer)
                lock (inner) {
                    ready = true;
                    Monitor.PulseAll(inner);
                }
        });
        other.Start();
        lock (outer)
            lock (inner)
                while (!ready)
                    Monitor.Wait(inner);
        other.Join();
    }
}
