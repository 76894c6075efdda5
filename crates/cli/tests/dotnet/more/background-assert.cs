// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class BackgroundAssert {
    static int data;

    static void Main() {
        var thread = new Thread(() => Debug.Assert(data == 0)) { IsBackground = true };
        thread.Start();
        data = 1;
    }
}
