// expect: sc verified
using System.Diagnostics;
using System.Threading;
class Program {
    static readonly object o = new object();
    static int n, skipped;
    static void Work() {
        if (Monitor.TryEnter(o)) {
            try {
                n++;
            } finally {
                Monitor.Exit(o);
            }
        } else Interlocked.Increment(ref skipped);
    }
    static void Main() {
        var t = new Thread(Work);
        t.Start();
        Work();
        t.Join();
        Debug.Assert(n + skipped == 2);
    }
}
