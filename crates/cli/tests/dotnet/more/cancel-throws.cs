// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class CancelThrows {
    static void Main() {
        var source = new CancellationTokenSource();
        var token = source.Token;
        var task = Task.Run(() => {
            while (true) {
                token.ThrowIfCancellationRequested();
                Thread.Yield();
            }
        }, token);
        source.Cancel();
        try {
            task.Wait();
            Debug.Fail("it ends by being cancelled only");
        } catch (AggregateException e) {
            Debug.Assert(e.InnerException is TaskCanceledException && task.IsCanceled);
        }
    }
}
