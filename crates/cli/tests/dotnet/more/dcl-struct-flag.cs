// expect: sc verified
// expect: dotnet violated assertion
// expect: dotnet-ecma violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static bool ready; static int value; static readonly object gate = new object();
    static int Get() {
        if (!ready) { lock (gate) { if (!ready) { value = 42; ready = true; } } }
        return value;
    }
    static void Main() {
        var t = new Thread(() => { Debug.Assert(Get() == 42); }); t.Start();
        Debug.Assert(Get() == 42);
        t.Join();
    }
}
