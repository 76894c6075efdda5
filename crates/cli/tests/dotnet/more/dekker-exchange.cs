// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics; using System.Threading;
class Program {
    static int a, b; static int r, s;
    static void Main() {
        var t = new Thread(() => { Interlocked.Exchange(ref a, 1); r = Volatile.Read(ref b); }); t.Start();
        Interlocked.Exchange(ref b, 1); s = Volatile.Read(ref a);
        t.Join(); Debug.Assert(r + s > 0);
    }
}
