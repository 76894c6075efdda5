// expect: sc violated deadlock
using System.Threading;

class SlimResetEarly {
    static void Main() {
        var set = new ManualResetEventSlim();
        var other = new Thread(() => set.Wait());
        other.Start();
        set.Set();
        set.Reset();
        other.Join();
    }
}
