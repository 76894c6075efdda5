// expect: sc violated deadlock
using System.Threading;

class ForegroundForEver {
    static readonly AutoResetEvent work = new AutoResetEvent(false);

    static void Main() {
        var server = new Thread(() => work.WaitOne());
        server.Start();
    }
}
