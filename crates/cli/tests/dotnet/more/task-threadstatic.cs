// expect: sc verified
// A task has the thread's own variables of whoever runs it: a thread of the pool.
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class TaskThreadStatic {
    [ThreadStatic] static int own;

    static void Main() {
        own = 5;
        int seen = 0;
        Task.Run(() => seen = own).Wait();
        Debug.Assert(seen == 0);
    }
}
