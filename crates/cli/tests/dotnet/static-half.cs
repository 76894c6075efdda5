// Who depends on the order of two static constructors that need each other is wrong.
// expect: sc violated assertion
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
        Debug.Assert(A.X == 4);
    }
}
