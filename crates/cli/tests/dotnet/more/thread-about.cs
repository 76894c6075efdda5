// expect: sc verified
using System.Diagnostics;
using System.Threading;

class ThreadAbout {
    static void Main() {
        int id = 0;
        var thread = new Thread(() => id = Thread.CurrentThread.ManagedThreadId, 1 << 16);
        thread.Name = "worker";
        thread.Priority = ThreadPriority.Highest;
        Debug.Assert(thread.Name == "worker");
        Debug.Assert(!thread.IsAlive && thread.ThreadState == System.Threading.ThreadState.Unstarted);
        thread.Start();
        thread.Join();
        Debug.Assert(id == thread.ManagedThreadId && id != Thread.CurrentThread.ManagedThreadId);
        Debug.Assert(!thread.IsAlive && thread.ThreadState == System.Threading.ThreadState.Stopped);
        Debug.Assert(thread.Join(0));
    }
}
