// expect: sc violated assertion
// check: --engine states
using System.Diagnostics;
using System.Threading.Tasks;
class Program {
    static int x;
    static void Main() {
        var a = Task.Run(() => { x++; });
        var b = Task.Run(() => { x++; });
        Task.WaitAll(a, b);
        Debug.Assert(x == 2, "lost");
    }
}
