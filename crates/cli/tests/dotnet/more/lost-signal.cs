// expect: sc violated deadlock
using System.Diagnostics; using System.Threading;
class Program {
    static readonly object o = new object(); static bool ready;
    static void Main() {
        var t = new Thread(() => { if (!ready) lock (o) Monitor.Wait(o); }); t.Start();
        ready = true; lock (o) Monitor.Pulse(o); t.Join();
    }
}
