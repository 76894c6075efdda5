// expect: sc verified
// The process ends with Main, and takes its background threads with it.
using System.Diagnostics;
using System.Threading;

class BackgroundForEver {
    static readonly AutoResetEvent work = new AutoResetEvent(false);
    static readonly AutoResetEvent done = new AutoResetEvent(false);
    static int served;

    static void Serve() {
        while (true) {
            work.WaitOne();
            served++;
            done.Set();
        }
    }

    static void Main() {
        var server = new Thread(Serve) { IsBackground = true };
        server.Start();
        work.Set();
        done.WaitOne();
        Debug.Assert(served == 1);
    }
}
