// expect: sc verified
// states: sc verified
// Whoever is first: one of two events is set, and the other one is never.
using System.Diagnostics;
using System.Threading;

class WaitAnyOfTwo {
    static readonly WaitHandle[] handles = { new AutoResetEvent(false), new ManualResetEvent(false) };
    static int data;

    static void Main() {
        var other = new Thread(() => { data = 5; ((ManualResetEvent)handles[1]).Set(); });
        other.Start();
        int which = WaitHandle.WaitAny(handles);
        Debug.Assert(which == 1 && data == 5);
        Debug.Assert(WaitHandle.WaitAny(handles, 0) == 1);
        ((ManualResetEvent)handles[1]).Reset();
        Debug.Assert(WaitHandle.WaitAny(handles, 0) == WaitHandle.WaitTimeout);
        other.Join();
    }
}
