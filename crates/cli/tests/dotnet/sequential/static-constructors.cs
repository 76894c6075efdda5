using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class A {
    public static int X = 5;
    static A() {
        T.W("A cctor X=" + X);
        X = 6;
    }
    public static void Touch() { }
}
class B {
    public static readonly int Y = A.X + 1;
    public static int Z;
    static B() {
        T.W("B cctor");
        Z = Y * 2;
    }
}
class G<T> {
    public static int N;
    static G() {
        T0.Log("G<" + typeof(T).Name + ">");
    }
}
static class T0 {
    public static void Log(string s) => T.W(s);
}
class Cyc1 {
    public static int V = Cyc2.V + 1;
    static Cyc1() { }
}
class Cyc2 {
    public static int V = Cyc1.V + 1;
    static Cyc2() { }
}
class Throws {
    public static int V;
    static Throws() {
        throw new InvalidOperationException("cctor");
    }
}
class Program {
    static int s = Init();
    static int Init() {
        T.W("init");
        return 3;
    }
    static Program() {
        T.W("Program cctor");
    }
    static void Main() {
        T.W("main " + s);
        T.W(B.Z);
        A.Touch();
        G<int>.N++;
        G<string>.N += 5;
        G<int>.N++;
        T.W(G<int>.N + " " + G<string>.N);
        T.W(Cyc1.V + " " + Cyc2.V);
        try {
            T.W(Throws.V);
        } catch (TypeInitializationException e) {
            T.W(e.InnerException.Message);
        }
        try {
            T.W(Throws.V);
        } catch (TypeInitializationException) {
            T.W("again");
        }
    }
}
