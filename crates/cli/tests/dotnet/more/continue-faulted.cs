// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static void Main() {
        var t = Task.Run(() => { throw new Exception("e"); });
        string m = null;
        var c = t.ContinueWith(p => m = p.Exception.InnerException.Message, TaskContinuationOptions.OnlyOnFaulted);
        c.Wait();
        Debug.Assert(m == "e");
    }
}
