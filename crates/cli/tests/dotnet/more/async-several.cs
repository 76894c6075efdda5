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
    static int x;
    static async Task Inc(int n) {
        for (int i = 0; i < n; i++) {
            await Task.Yield();
            Interlocked.Increment(ref x);
        }
    }
    static void Main() {
        Inc(3).Wait();
        Debug.Assert(x == 3);
    }
}
