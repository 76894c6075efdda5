// expect: sc verified
// expect: dotnet violated assertion
// expect: dotnet-ecma violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static volatile int a, b; static int inside;
    static void Main() {
        var t = new Thread(() => { a = 1; if (b == 0) { inside++; Debug.Assert(inside == 1, "alone"); inside--; } }); t.Start();
        b = 1; if (a == 0) { inside++; Debug.Assert(inside == 1, "alone"); inside--; }
        t.Join();
    }
}
