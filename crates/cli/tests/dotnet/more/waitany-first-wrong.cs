// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class WaitAnyFirst {
    static void Main() {
        var handles = new WaitHandle[] { new AutoResetEvent(false), new AutoResetEvent(false) };
        new Thread(() => ((AutoResetEvent)handles[0]).Set()).Start();
        new Thread(() => ((AutoResetEvent)handles[1]).Set()).Start();
        Debug.Assert(WaitHandle.WaitAny(handles) == 0);
    }
}
