// A static constructor that waits for a thread that needs the type: both wait for ever.
// expect: sc violated deadlock
// states: sc violated deadlock
using System.Threading;

class A
{
    public static int X;
    static A()
    {
        var t = new Thread(() => X = 1);
        t.Start();
        t.Join();
    }
    public static void Touch() { }
}

class Program
{
    static void Main() { A.Touch(); }
}
