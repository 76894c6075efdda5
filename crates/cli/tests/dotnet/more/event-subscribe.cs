// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;
class Program {
    static int n;
    static event Action Changed;
    static void Main() {
        var t = new Thread(() => { Changed += () => n++; });
        t.Start();
        Changed += () => n += 10;
        t.Join();
        Changed();
        Debug.Assert(n == 11);
    }
}
