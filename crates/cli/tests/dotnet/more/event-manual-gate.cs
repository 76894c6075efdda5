// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ManualGate {
    static int passed;

    static void Main() {
        var gate = new ManualResetEvent(false);
        var threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            threads[i] = new Thread(() => { gate.WaitOne(); Interlocked.Increment(ref passed); });
            threads[i].Start();
        }
        Debug.Assert(passed == 0);
        gate.Set();
        foreach (var thread in threads)
            thread.Join();
        Debug.Assert(passed == 2);
    }
}
