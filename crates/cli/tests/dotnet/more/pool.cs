// expect: sc verified
using System.Diagnostics;
using System.Threading;
class Program {
    static int n;
    static void Main() {
        using (var done = new CountdownEvent(2)) {
            for (int i = 0; i < 2; i++) ThreadPool.QueueUserWorkItem(_ => { Interlocked.Increment(ref n); done.Signal(); });
            done.Wait();
        }
        Debug.Assert(n == 2);
    }
}
