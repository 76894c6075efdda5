// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ProcessWide {
    static int x, y, a, b;

    static void Main() {
        var other = new Thread(() => { x = 1; Interlocked.MemoryBarrierProcessWide(); a = Volatile.Read(ref y); });
        other.Start();
        y = 1;
        b = Volatile.Read(ref x);
        other.Join();
        Debug.Assert(a == 1 || b == 1);
    }
}
