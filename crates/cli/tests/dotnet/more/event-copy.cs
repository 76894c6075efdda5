// expect: sc verified
// expect: dotnet verified
using System;
using System.Threading;
class Program {
    static event Action Changed;
    static void Main() {
        Changed += () => { };
        var t = new Thread(() => { Changed -= null; Changed = null; });
        t.Start();
        var c = Changed;
        if (c != null) c();
        t.Join();
    }
}
