// expect: sc unknown
// message: Thread.Interrupt
using System.Diagnostics;
using System.Threading;

class ThreadInterrupt {
    static bool interrupted;

    static void Main() {
        var thread = new Thread(() => {
            try {
                Thread.Sleep(Timeout.Infinite);
            } catch (ThreadInterruptedException) {
                interrupted = true;
            }
        });
        thread.Start();
        thread.Interrupt();
        thread.Join();
        Debug.Assert(interrupted);
    }
}
