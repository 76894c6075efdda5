// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class CancelAfter {
    static void Main() {
        var source = new CancellationTokenSource();
        var token = source.Token;
        int seen = 0;
        token.Register(() => seen = 1);
        source.CancelAfter(10);
        token.WaitHandle.WaitOne();
        Debug.Assert(token.IsCancellationRequested);
    }
}
