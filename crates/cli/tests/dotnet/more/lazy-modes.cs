// expect: sc verified
// expect: dotnet verified
using System;
using System.Diagnostics;
using System.Threading;
class Program {
    static int made;
    static readonly Lazy<int[]> once = new Lazy<int[]>(() => { Interlocked.Increment(ref made); return new[] { 7 }; }, LazyThreadSafetyMode.ExecutionAndPublication);
    static void Main() {
        var t = new Thread(() => { Debug.Assert(once.Value[0] == 7); });
        t.Start();
        Debug.Assert(once.Value[0] == 7);
        t.Join();
        Debug.Assert(made == 1);
    }
}
