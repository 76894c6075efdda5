// expect: sc violated unhandled-exception
using System.Threading;

class UpgradeFromRead {
    static void Main() {
        var gate = new ReaderWriterLockSlim();
        gate.EnterReadLock();
        gate.EnterWriteLock();
    }
}
