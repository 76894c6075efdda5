// expect: sc violated deadlock
// states: sc violated deadlock
// An event that resets itself wakes one of two who wait for any of several.
using System.Threading;

class WaitAnyNever {
    static readonly WaitHandle[] handles = { new AutoResetEvent(false), new AutoResetEvent(false) };

    static void Main() {
        var other = new Thread(() => { WaitHandle.WaitAny(handles); });
        other.Start();
        ((AutoResetEvent)handles[1]).Set();
        WaitHandle.WaitAny(handles);
        other.Join();
    }
}
