// expect: sc violated
using System.Threading;

class MutexAbandoned {
    static readonly Mutex mutex = new Mutex();

    static void Main() {
        var other = new Thread(() => mutex.WaitOne());
        other.Start();
        other.Join();
        mutex.WaitOne();
    }
}
