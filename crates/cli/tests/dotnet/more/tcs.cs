// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Threading.Tasks;
class Program {
    static void Main() {
        var s = new TaskCompletionSource<int>();
        new Thread(() => s.SetResult(3)).Start();
        Debug.Assert(s.Task.Result == 3);
    }
}
