// expect: sc unknown
// message: not supported
using System.Threading;

class ThreadAbort {
    static void Main() {
        var thread = new Thread(() => { });
        thread.Start();
        thread.Abort();
        thread.Join();
    }
}
