// expect: sc violated deadlock
using System.Threading;

class PulseOneOfTwo {
    static readonly object gate = new object();
    static bool open;

    static void Pass() {
        lock (gate)
            while (!open)
                Monitor.Wait(gate);
    }

    static void Main() {
        Thread a = new Thread(Pass), b = new Thread(Pass);
        a.Start();
        b.Start();
        lock (gate) {
            open = true;
            Monitor.Pulse(gate);
        }
        a.Join();
        b.Join();
    }
}
