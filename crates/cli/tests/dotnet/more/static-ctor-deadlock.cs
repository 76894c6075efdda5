// expect: sc verified
using System.Diagnostics;
using System.Threading;
class A {
    public static int X;
    static A() {
        X = 1;
        X += B.Y;
    }
    public static int Get() {
        return X;
    }
}
class B {
    public static int Y;
    static B() {
        Y = 2;
        Y += A.X;
    }
    public static int Get() {
        return Y;
    }
}
class Program {
    static void Main() {
        var t = new Thread(() => A.Get());
        t.Start();
        B.Get();
        t.Join();
        Debug.Assert(A.X + B.Y >= 4);
    }
}
