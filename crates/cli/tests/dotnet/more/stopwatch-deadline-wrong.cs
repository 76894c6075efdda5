// expect: sc violated assertion
// check: --timeouts
using System.Diagnostics;
using System.Threading;

class StopwatchDeadline {
    static volatile bool ready;

    static void Main() {
        var other = new Thread(() => ready = true);
        other.Start();
        var watch = Stopwatch.StartNew();
        while (!ready && watch.ElapsedMilliseconds < 100)
            Thread.Sleep(1);
        Debug.Assert(ready);
        other.Join();
    }
}
