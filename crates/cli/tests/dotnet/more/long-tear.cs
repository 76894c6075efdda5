// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static long v;
    static void Main() { var t = new Thread(() => v = -1); t.Start(); long w = v; t.Join(); Debug.Assert(w == 0 || w == -1); }
}
