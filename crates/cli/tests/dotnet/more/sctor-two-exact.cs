// expect: sc violated
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
        X = 1;
        X += B.Y;
    }
    public static void T() { }
}
class B {
    public static int Y;
    static B() {
        Y = 2;
        Y += A.X;
    }
    public static void T() { }
}
class Program {
    static void Main() {
        var t = new Thread(() => A.T());
        t.Start();
        B.T();
        t.Join();
        Debug.Assert(A.X == 4);
    }
}
