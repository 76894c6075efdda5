// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class InterlockedKinds {
    static float f = 1.5f;
    static double d = 2.5;
    static long l = 1L << 40;
    static IntPtr p = new IntPtr(3);
    static object o;
    static string s;

    static void Main() {
        Debug.Assert(Interlocked.Exchange(ref f, 3.5f) == 1.5f && f == 3.5f);
        Debug.Assert(Interlocked.CompareExchange(ref f, 4f, 3.5f) == 3.5f && f == 4f);
        Debug.Assert(Interlocked.Exchange(ref d, 7.25) == 2.5 && Interlocked.CompareExchange(ref d, 1, 0) == 7.25 && d == 7.25);
        Debug.Assert(Interlocked.Increment(ref l) == (1L << 40) + 1 && Interlocked.Add(ref l, -1) == 1L << 40);
        Debug.Assert(Interlocked.Read(ref l) == 1L << 40 && Interlocked.Decrement(ref l) == (1L << 40) - 1);
        Debug.Assert(Interlocked.Exchange(ref p, new IntPtr(4)) == new IntPtr(3));
        Debug.Assert(Interlocked.CompareExchange(ref p, IntPtr.Zero, new IntPtr(4)) == new IntPtr(4) && p == IntPtr.Zero);
        var first = new object();
        Debug.Assert(Interlocked.CompareExchange(ref o, first, null) == null && o == first);
        Debug.Assert(Interlocked.Exchange<string>(ref s, "text") == null && s == "text");
        int negative = -5;
        Debug.Assert(Interlocked.Add(ref negative, 3) == -2 && Interlocked.Exchange(ref negative, 1) == -2);
    }
}
