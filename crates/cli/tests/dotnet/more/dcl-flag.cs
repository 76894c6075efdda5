// expect: dotnet violated
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class S {
    static int v;
    static bool done;
    static object l = new object();
    public static int Get() {
        if (!done) lock (l) if (!done) {
            v = 1;
            done = true;
        }
        return v;
    }
}
class Program {
    static void Main() {
        var t = new Thread(() => Debug.Assert(S.Get() == 1));
        t.Start();
        Debug.Assert(S.Get() == 1);
        t.Join();
    }
}
