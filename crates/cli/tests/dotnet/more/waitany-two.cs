// expect: sc verified
using System.Diagnostics;
using System.Threading;

class WaitAnyOfTwo {
    static readonly WaitHandle[] handles = { new AutoResetEvent(false), new AutoResetEvent(false) };
    static readonly int[] data = new int[2];

    static void Main() {
        for (int i = 0; i < 2; i++) {
            int own = i;
            new Thread(() => { data[own] = own + 1; ((AutoResetEvent)handles[own]).Set(); }).Start();
        }
        int first = WaitHandle.WaitAny(handles);
        Debug.Assert(data[first] == first + 1);
        int second = WaitHandle.WaitAny(handles);
        Debug.Assert(first != second && data[second] == second + 1);
    }
}
