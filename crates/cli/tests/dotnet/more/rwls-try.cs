// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ReaderWriterTry {
    static readonly ReaderWriterLockSlim gate = new ReaderWriterLockSlim();
    static int data;

    static void Main() {
        var writer = new Thread(() => {
            gate.EnterWriteLock();
            data = 1;
            data = 2;
            gate.ExitWriteLock();
        });
        writer.Start();
        if (gate.TryEnterReadLock(0)) {
            Debug.Assert(data != 1);
            gate.ExitReadLock();
        }
        writer.Join();
        Debug.Assert(!gate.IsWriteLockHeld && gate.CurrentReadCount == 0);
    }
}
