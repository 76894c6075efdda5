// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class UpgradeGap {
    static readonly ReaderWriterLockSlim gate = new ReaderWriterLockSlim();
    static int made;

    static void Ensure() {
        gate.EnterReadLock();
        bool missing = made == 0;
        gate.ExitReadLock();
        if (missing) {
            gate.EnterWriteLock();
            made++;
            gate.ExitWriteLock();
        }
    }

    static void Main() {
        var other = new Thread(Ensure);
        other.Start();
        Ensure();
        other.Join();
        Debug.Assert(made == 1);
    }
}
