// expect: sc verified
using System.Diagnostics; using System.Threading.Tasks;
class Program {
    static int x;
    static void Main() { var t = Task.Run(() => { x = 1; return 5; }); Debug.Assert(t.Result == 5); Debug.Assert(x == 1); }
}
