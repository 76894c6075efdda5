// expect: sc violated non-termination
using System.Threading;

class WaitAllMissing {
    static void Main() {
        var a = new AutoResetEvent(false);
        var b = new AutoResetEvent(false);
        new Thread(() => { a.Set(); a.WaitOne(); b.Set(); }).Start();
        WaitHandle.WaitAll(new WaitHandle[] { a, b });
    }
}
