// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Iriw {
    static volatile int x, y;
    static int a, b, c, d;

    static void Main() {
        var threads = new[] {
            new Thread(() => x = 1),
            new Thread(() => y = 1),
            new Thread(() => { a = x; b = y; }),
            new Thread(() => { c = y; d = x; }),
        };
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        Debug.Assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    }
}
