// expect: sc violated
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int x;
    static async Task Inc() {
        int v = x;
        await Task.Yield();
        x = v + 1;
    }
    static void Main() {
        Task.WaitAll(Inc(), Inc());
        Debug.Assert(x == 2);
    }
}
