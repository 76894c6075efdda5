// expect: sc violated unhandled-exception
using System;
using System.Threading;

class PoolUnhandled {
    static void Main() {
        var done = new ManualResetEvent(false);
        ThreadPool.QueueUserWorkItem(_ => {
            try {
                throw new InvalidOperationException("not caught");
            } finally {
                done.Set();
            }
        });
        done.WaitOne();
    }
}
