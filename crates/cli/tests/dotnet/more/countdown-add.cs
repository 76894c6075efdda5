// expect: sc verified
using System.Diagnostics;
using System.Threading;

class CountdownAdd {
    static int done;

    static void Main() {
        var left = new CountdownEvent(1);
        for (int i = 0; i < 2; i++) {
            left.AddCount();
            new Thread(() => { Interlocked.Increment(ref done); left.Signal(); }).Start();
        }
        left.Signal();
        left.Wait();
        Debug.Assert(done == 2 && left.IsSet && !left.TryAddCount());
    }
}
