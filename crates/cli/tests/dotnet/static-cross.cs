// Two static constructors that need each other, in two threads: one of them finds the other type half made, and nobody
// waits for ever (ECMA-335 II.10.5.3.3).
// expect: sc verified
// expect: dotnet verified
// states: sc verified
using System.Diagnostics;
using System.Threading;

class A
{
    public static int X;
    static A() { X = 1; X += B.Y; }
    public static void Touch() { }
}

class B
{
    public static int Y;
    static B() { Y = 2; Y += A.X; }
    public static void Touch() { }
}

class Program
{
    static void Main()
    {
        var t = new Thread(() => A.Touch());
        t.Start();
        B.Touch();
        t.Join();
        // A first (4 and 3), B first (3 and 5), or either sees what the other has by then.
        Debug.Assert(A.X == 4 && B.Y == 3 || A.X == 3 && B.Y == 5);
    }
}
