// expect: sc verified
// The initial value is for the thread that comes first only.
using System;
using System.Diagnostics;
using System.Threading;

class ThreadStaticInitial {
    [ThreadStatic] static int own = 5;

    static void Main() {
        Debug.Assert(own == 5);
        int seen = -1;
        var thread = new Thread(() => { seen = own; own = 9; });
        thread.Start();
        thread.Join();
        Debug.Assert(seen == 0 && own == 5);
    }
}
