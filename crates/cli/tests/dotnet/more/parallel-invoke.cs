// expect: sc violated assertion
// check: --engine states
using System.Diagnostics; using System.Threading; using System.Threading.Tasks;
class Program {
    static int n;
    static void Main() { Parallel.Invoke(() => n++, () => n++); Debug.Assert(n == 2, "lost"); }
}
