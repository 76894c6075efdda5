// expect: sc verified
using System.Diagnostics;
using System.Threading;

class TimerNever {
    static int fired;

    static void Main() {
        var timer = new Timer(_ => fired++, null, Timeout.Infinite, Timeout.Infinite);
        Debug.Assert(fired == 0);
        var done = new AutoResetEvent(false);
        timer = new Timer(_ => { fired++; done.Set(); }, null, Timeout.Infinite, Timeout.Infinite);
        timer.Change(5, Timeout.Infinite);
        done.WaitOne();
        Debug.Assert(fired == 1);
    }
}
