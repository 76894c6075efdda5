// expect: sc verified
// A loop until a time is over.
using System;
using System.Diagnostics;
using System.Threading;

class DeadlineLoop {
    static volatile bool ready;

    static void Main() {
        var other = new Thread(() => ready = true);
        other.Start();
        var deadline = DateTime.UtcNow.AddSeconds(1);
        while (!ready && DateTime.UtcNow < deadline)
            Thread.Sleep(1);
        other.Join();
    }
}
