// expect: sc verified
using System.Diagnostics;
using System.Threading;

class SignalAndWait {
    static readonly AutoResetEvent ping = new AutoResetEvent(false), pong = new AutoResetEvent(false);
    static int ball;

    static void Main() {
        var other = new Thread(() => {
            ping.WaitOne();
            ball++;
            WaitHandle.SignalAndWait(pong, ping);
            ball++;
            pong.Set();
        });
        other.Start();
        for (int i = 1; i <= 2; i++) {
            WaitHandle.SignalAndWait(ping, pong);
            Debug.Assert(ball == i);
        }
        other.Join();
    }
}
