// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class TimerLost {
    static int count;

    static void Main() {
        var done = new ManualResetEvent(false);
        using (var timer = new Timer(_ => { count++; done.Set(); }, null, 10, Timeout.Infinite)) {
            count++;
            done.WaitOne();
        }
        Debug.Assert(count == 2);
    }
}
