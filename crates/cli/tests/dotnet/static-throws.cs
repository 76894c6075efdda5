// A static constructor that throws: everybody who uses the type gets an exception with that one in it.
// expect: sc verified
// states: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class Broken
{
    public static int X;
    static Broken() { throw new ArgumentException("no"); }
}

class Program
{
    static int seen;

    static void Use()
    {
        try
        {
            Broken.X++;
        }
        catch (TypeInitializationException e)
        {
            Debug.Assert(e.InnerException is ArgumentException && e.InnerException.Message == "no");
            Interlocked.Increment(ref seen);
        }
    }

    static void Main()
    {
        var t = new Thread(Use);
        t.Start();
        Use();
        t.Join();
        Use();
        Debug.Assert(seen == 3);
    }
}
