// expect: sc violated assertion
using System.Diagnostics; using System.Threading; using System.Threading.Tasks;
class Program {
    static int n;
    static async Task Work() { int x = n; await Task.Yield(); n = x + 1; }
    static void Main() { var a = Work(); var b = Work(); Task.WaitAll(a, b); Debug.Assert(n == 2, "lost"); }
}
