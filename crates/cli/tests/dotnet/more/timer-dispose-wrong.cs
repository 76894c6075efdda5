// expect: sc violated unhandled-exception
// A callback may still be running, or about to, when Dispose returns.
using System.Threading;

class TimerDispose {
    static string text = "text";

    static void Main() {
        var timer = new Timer(_ => { int length = text.Length; }, null, 10, Timeout.Infinite);
        timer.Dispose();
        text = null;
    }
}
