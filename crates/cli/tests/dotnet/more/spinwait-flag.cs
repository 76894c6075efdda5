// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics; using System.Threading;
class Program {
    static volatile bool go; static int data;
    static void Main() {
        var t = new Thread(() => { var w = new SpinWait(); while (!go) w.SpinOnce(); Debug.Assert(data == 1); }); t.Start();
        data = 1; go = true; t.Join();
    }
}
