// expect: sc violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static readonly ReaderWriterLockSlim rw = new ReaderWriterLockSlim(); static int a, b;
    static void Main() {
        var t = new Thread(() => { Debug.Assert(a == b, "read without the lock"); }); t.Start();
        rw.EnterWriteLock(); a++; b++; rw.ExitWriteLock(); t.Join();
    }
}
