// expect: dotnet violated assertion
// Set does not order what a third thread does.
using System.Diagnostics;
using System.Threading;

class SlimThird {
    static readonly ManualResetEventSlim set = new ManualResetEventSlim();
    static int x, y;

    static void Main() {
        var a = new Thread(() => { x = 1; y = 1; set.Set(); });
        a.Start();
        int seen = y;
        Debug.Assert(seen == 0 || x == 1);
        set.Wait();
        a.Join();
    }
}
