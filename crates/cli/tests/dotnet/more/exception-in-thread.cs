// expect: sc violated unhandled-exception
using System;
using System.Threading;
class Program {
    static int[] xs = new int[1];
    static void Main() {
        var t = new Thread(() => { xs[1] = 2; });
        t.Start();
        t.Join();
    }
}
