// expect: sc verified
// expect: dotnet violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static bool go; static int data;
    static void Main() {
        var t = new Thread(() => { while (!go) Thread.Yield(); Debug.Assert(data == 1); }); t.Start();
        data = 1; go = true; t.Join();
    }
}
