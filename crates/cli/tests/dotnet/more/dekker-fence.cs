// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics;
using System.Threading;
class Program {
    static volatile int a, b;
    static int inside;
    static void Main() {
        var t = new Thread(() => { a = 1; Thread.MemoryBarrier(); if (b == 0) { inside++; Debug.Assert(inside == 1, "alone"); inside--; } });
        t.Start();
        b = 1;
        Interlocked.MemoryBarrier();
        if (a == 0) {
            inside++;
            Debug.Assert(inside == 1, "alone");
            inside--;
        }
        t.Join();
    }
}
