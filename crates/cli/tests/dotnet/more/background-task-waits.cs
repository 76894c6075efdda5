// expect: sc verified
// Threads of the pool are background threads: nobody waits for a task that nobody waits for.
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class BackgroundTaskWaits {
    static void Main() {
        var never = new ManualResetEvent(false);
        int data = 0;
        Task.Run(() => { never.WaitOne(); });
        var other = Task.Run(() => { data = 1; });
        other.Wait();
        Debug.Assert(data == 1);
    }
}
