// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class ThreadAliveWrong {
    static void Main() {
        var thread = new Thread(() => { });
        thread.Start();
        Debug.Assert(thread.IsAlive);
        thread.Join();
    }
}
