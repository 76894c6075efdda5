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
        var t = new Thread(() => X = 1);
        t.Start();
        t.Join();
    }
    public static void T() { }
}
class Program {
    static void Main() {
        A.T();
    }
}
