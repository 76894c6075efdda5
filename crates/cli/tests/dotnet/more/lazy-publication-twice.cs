// expect: sc violated assertion
using System;
using System.Diagnostics;
using System.Threading;

class LazyPublicationTwice {
    static int made;

    static void Main() {
        var lazy = new Lazy<int>(() => Interlocked.Increment(ref made), LazyThreadSafetyMode.PublicationOnly);
        var other = new Thread(() => { int ignored = lazy.Value; });
        other.Start();
        int value = lazy.Value;
        other.Join();
        Debug.Assert(made == 1);
    }
}
