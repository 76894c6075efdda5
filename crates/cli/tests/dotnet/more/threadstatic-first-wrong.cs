// expect: sc violated assertion
// The initial value is for the thread that uses the type first, which need not be the first thread.
using System;
using System.Diagnostics;
using System.Threading;

class Own {
    [ThreadStatic] public static int value = 5;
}

class ThreadStaticFirst {
    static void Main() {
        var other = new Thread(() => { int ignored = Own.value; });
        other.Start();
        Debug.Assert(Own.value == 5);
        other.Join();
    }
}
