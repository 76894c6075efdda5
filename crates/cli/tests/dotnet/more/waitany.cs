// expect: sc verified
using System.Diagnostics;
using System.Threading;
class Program {
    static void Main() {
        var a = new ManualResetEvent(false);
        var b = new ManualResetEvent(false);
        new Thread(() => b.Set()).Start();
        Debug.Assert(WaitHandle.WaitAny(new WaitHandle[] { a, b }) == 1);
        WaitHandle.WaitAll(new WaitHandle[] { b });
    }
}
