// expect: sc verified
using System.Diagnostics;
using System.Threading;

class MonitorDeepWait {
    static readonly object gate = new object();
    static bool ready;

    static void Main() {
        var other = new Thread(() => {
            lock (gate) {
                ready = true;
                Monitor.Pulse(gate);
            }
        });
        other.Start();
        lock (gate)
            lock (gate) {
                while (!ready)
                    Monitor.Wait(gate);
                Debug.Assert(Monitor.IsEntered(gate));
            }
        Debug.Assert(!Monitor.IsEntered(gate));
        other.Join();
    }
}
