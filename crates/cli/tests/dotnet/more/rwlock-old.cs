// expect: sc unknown
// message: not supported
using System.Threading;

class OldReaderWriterLock {
    static void Main() {
        var gate = new ReaderWriterLock();
        gate.AcquireReaderLock(Timeout.Infinite);
        gate.ReleaseReaderLock();
    }
}
