// expect: sc violated assertion
using System;
using System.Diagnostics;
using System.Threading;
class Program {
    static int made;
    static readonly Lazy<object> once = new Lazy<object>(() => { Interlocked.Increment(ref made); return new object(); }, LazyThreadSafetyMode.PublicationOnly);
    static void Main() {
        object a = null;
        var t = new Thread(() => { a = once.Value; });
        t.Start();
        object b = once.Value;
        t.Join();
        Debug.Assert(a == b, "one object");
        Debug.Assert(made == 1, "made once");
    }
}
