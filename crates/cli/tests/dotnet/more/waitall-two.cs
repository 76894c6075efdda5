// expect: sc verified
using System.Diagnostics;
using System.Threading;

class WaitAllOfTwo {
    static readonly ManualResetEvent[] done = { new ManualResetEvent(false), new ManualResetEvent(false) };
    static readonly int[] data = new int[2];

    static void Main() {
        for (int i = 0; i < 2; i++) {
            int own = i;
            new Thread(() => { data[own] = own + 1; done[own].Set(); }).Start();
        }
        WaitHandle.WaitAll(done);
        Debug.Assert(data[0] + data[1] == 3);
    }
}
