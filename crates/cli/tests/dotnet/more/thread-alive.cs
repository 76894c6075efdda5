// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ThreadAlive {
    static int data;

    static void Main() {
        var thread = new Thread(() => data = 1);
        thread.Start();
        if (!thread.IsAlive)
            Debug.Assert(data == 1);
        thread.Join();
    }
}
