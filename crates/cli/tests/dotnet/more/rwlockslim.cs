// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static readonly ReaderWriterLockSlim rw = new ReaderWriterLockSlim(); static int a, b;
    static void Main() {
        var t = new Thread(() => { rw.EnterReadLock(); Debug.Assert(a == b); rw.ExitReadLock(); }); t.Start();
        rw.EnterWriteLock(); a++; b++; rw.ExitWriteLock(); t.Join();
    }
}
