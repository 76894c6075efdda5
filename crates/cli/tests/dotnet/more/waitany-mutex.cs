// expect: sc verified
using System.Diagnostics;
using System.Threading;

class WaitAnyMutex {
    static readonly Mutex mutex = new Mutex();
    static readonly ManualResetEvent never = new ManualResetEvent(false);
    static int count;

    static void Add() {
        WaitHandle.WaitAny(new WaitHandle[] { never, mutex });
        int seen = count;
        count = seen + 1;
        mutex.ReleaseMutex();
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
