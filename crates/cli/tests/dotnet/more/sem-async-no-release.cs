// expect: sc violated deadlock
using System;
using System.Threading;
using System.Threading.Tasks;

class SemAsyncNoRelease {
    static readonly SemaphoreSlim gate = new SemaphoreSlim(1, 1);

    static async Task Use(bool fail) {
        await gate.WaitAsync();
        if (fail)
            return;
        gate.Release();
    }

    static void Main() {
        var first = Use(true);
        Use(false).Wait();
    }
}
