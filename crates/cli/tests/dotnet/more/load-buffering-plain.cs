// expect: sc verified
// expect: dotnet violated assertion
// expect: dotnet-ecma violated assertion
using System.Diagnostics;
using System.Threading;

class LoadBuffering {
    static int x, y, a, b;

    static void Main() {
        var other = new Thread(() => { b = y; x = 1; });
        other.Start();
        a = x;
        y = 1;
        other.Join();
        Debug.Assert(!(a == 1 && b == 1));
    }
}
