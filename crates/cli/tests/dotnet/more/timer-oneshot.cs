// expect: sc verified
using System.Diagnostics;
using System.Threading;

class TimerOnce {
    static int data;

    static void Main() {
        var done = new ManualResetEvent(false);
        var timer = new Timer(state => { data = (int)state; done.Set(); }, 7, 10, Timeout.Infinite);
        done.WaitOne();
        Debug.Assert(data == 7);
        timer.Dispose();
    }
}
