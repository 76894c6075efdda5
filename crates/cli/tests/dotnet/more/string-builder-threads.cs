// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Text;
class Program {
    static void Main() {
        var b = new StringBuilder();
        var t = new Thread(() => { lock (b) b.Append("x"); });
        t.Start();
        lock (b) b.Append("y");
        t.Join();
        var s = b.ToString();
        Debug.Assert(s == "xy" || s == "yx");
    }
}
