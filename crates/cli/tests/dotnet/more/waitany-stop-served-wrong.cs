// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class WaitAnyStopServed {
    static readonly AutoResetEvent work = new AutoResetEvent(false);
    static readonly ManualResetEvent stop = new ManualResetEvent(false);
    static int served;

    static void Worker() {
        var handles = new WaitHandle[] { stop, work };
        while (WaitHandle.WaitAny(handles) != 0)
            served++;
    }

    static void Main() {
        var worker = new Thread(Worker);
        worker.Start();
        work.Set();
        stop.Set();
        worker.Join();
        Debug.Assert(served == 1);
    }
}
