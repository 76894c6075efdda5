// expect: sc unknown
// message: not supported
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class AsyncLocalFlows {
    static readonly AsyncLocal<string> request = new AsyncLocal<string>();

    static async Task<string> Handle(string name) {
        request.Value = name;
        await Task.Yield();
        return request.Value;
    }

    static void Main() {
        var a = Handle("a");
        var b = Handle("b");
        Debug.Assert(a.Result == "a" && b.Result == "b" && request.Value == null);
    }
}
