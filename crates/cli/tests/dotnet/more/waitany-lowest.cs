// expect: sc verified
using System.Diagnostics;
using System.Threading;

class WaitAnyLowest {
    static void Main() {
        var a = new ManualResetEvent(true);
        var b = new AutoResetEvent(true);
        var handles = new WaitHandle[] { a, b };
        Debug.Assert(WaitHandle.WaitAny(handles) == 0);
        a.Reset();
        Debug.Assert(WaitHandle.WaitAny(handles) == 1);
        Debug.Assert(WaitHandle.WaitAny(handles, 0) == WaitHandle.WaitTimeout);
    }
}
