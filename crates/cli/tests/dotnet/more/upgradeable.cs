// expect: sc verified
using System.Diagnostics;
using System.Threading;

class Upgradeable {
    static readonly ReaderWriterLockSlim gate = new ReaderWriterLockSlim();
    static int made;

    static void Ensure() {
        gate.EnterUpgradeableReadLock();
        try {
            if (made == 0) {
                gate.EnterWriteLock();
                made++;
                gate.ExitWriteLock();
            }
        } finally {
            gate.ExitUpgradeableReadLock();
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
