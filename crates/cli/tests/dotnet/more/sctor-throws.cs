// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class A {
    public static int X;
    static A() {
        throw new Exception("no");
    }
}
class Program {
    static int n;
    static void W() {
        try {
            A.X++;
        } catch (TypeInitializationException) {
            Interlocked.Increment(ref n);
        }
    }
    static void Main() {
        var t = new Thread(W);
        t.Start();
        W();
        t.Join();
        Debug.Assert(n == 2);
    }
}
