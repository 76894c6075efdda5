// expect: sc violated deadlock
using System.Threading;

class BackgroundWaitsMain {
    static void Main() {
        var never = new ManualResetEvent(false);
        var thread = new Thread(() => never.WaitOne()) { IsBackground = true };
        thread.Start();
        thread.Join();
    }
}
