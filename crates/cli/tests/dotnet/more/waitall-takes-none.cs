// expect: sc verified
// WaitAll takes all or nothing: an event that resets itself is still set while the other one is not.
using System.Diagnostics;
using System.Threading;

class WaitAllTakesNone {
    static readonly AutoResetEvent a = new AutoResetEvent(true), b = new AutoResetEvent(false);

    static void Main() {
        var waiter = new Thread(() => { WaitHandle.WaitAll(new WaitHandle[] { a, b }); });
        waiter.Start();
        Debug.Assert(a.WaitOne(0));
        a.Set();
        b.Set();
        waiter.Join();
        Debug.Assert(!a.WaitOne(0) && !b.WaitOne(0));
    }
}
