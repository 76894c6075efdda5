// expect: sc verified
using System.Diagnostics;
using System.Threading;

class SlimTimeout {
    static void Main() {
        var set = new ManualResetEventSlim();
        int data = 0;
        var other = new Thread(() => { data = 1; set.Set(); });
        other.Start();
        if (set.Wait(0))
            Debug.Assert(data == 1);
        other.Join();
        Debug.Assert(set.Wait(0) && set.IsSet);
        set.Reset();
        Debug.Assert(!set.Wait(0));
    }
}
