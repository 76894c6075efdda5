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
    static async Task<int> F(int x) {
        await Task.Yield();
        return x;
    }
    static void Main() {
        var r = Task.WhenAll(F(1), F(2)).Result;
        Debug.Assert(r[0] == 1 && r[1] == 2);
    }
}
