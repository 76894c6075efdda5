// expect: dotnet verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class S {
    public int V;
    S() {
        V = 1;
    }
    static S i;
    static object l = new object();
    public static S Get() {
        if (i == null) lock (l) if (i == null) i = new S();
        return i;
    }
}
class Program {
    static void Main() {
        var t = new Thread(() => Debug.Assert(S.Get().V == 1));
        t.Start();
        Debug.Assert(S.Get().V == 1);
        t.Join();
    }
}
