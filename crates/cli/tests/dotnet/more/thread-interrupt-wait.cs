// expect: sc unknown
// message: Thread.Interrupt
using System.Diagnostics;
using System.Threading;

class ThreadInterruptWait {
    static readonly object gate = new object();
    static bool stopped;

    static void Main() {
        var thread = new Thread(() => {
            lock (gate) {
                try {
                    Monitor.Wait(gate);
                } catch (ThreadInterruptedException) {
                    stopped = Monitor.IsEntered(gate);
                }
            }
        });
        thread.Start();
        thread.Interrupt();
        thread.Join();
        Debug.Assert(stopped);
    }
}
