// expect: dotnet violated
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int data;
    static bool ready;
    static void Main() {
        var t = new Thread(() => { data = 42; ready = true; });
        t.Start();
        while (!ready) ;
        Debug.Assert(data == 42);
    }
}
