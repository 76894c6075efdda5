// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;
class Program {
    static void Main() {
        var t = Task.Run(() => 1).ContinueWith(a => a.Result + 1).ContinueWith(b => b.Result * 10);
        Debug.Assert(t.Result == 20);
    }
}
