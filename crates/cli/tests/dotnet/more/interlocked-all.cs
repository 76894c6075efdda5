// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static int i; static long l; static object o; static double d = 1; static float f = 1; static string s = "a";
    static void Main() {
        Debug.Assert(Interlocked.Increment(ref i) == 1 && Interlocked.Decrement(ref l) == -1 && Interlocked.Add(ref l, 5) == 4);
        Debug.Assert(Interlocked.Exchange(ref o, "x") == null && (string)o == "x");
        Debug.Assert(Interlocked.CompareExchange(ref d, 2, 1) == 1 && d == 2 && Interlocked.Exchange(ref f, 3) == 1 && f == 3);
        Debug.Assert(Interlocked.CompareExchange(ref s, "b", "a") == "a" && s == "b" && Interlocked.Read(ref l) == 4);
        Interlocked.MemoryBarrierProcessWide();
    }
}
