// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class VolatileKinds {
    static bool b;
    static byte u1;
    static sbyte i1;
    static short i2;
    static ushort u2;
    static uint u4;
    static long i8;
    static ulong u8;
    static float f;
    static double d;
    static IntPtr p;
    static string s;

    static void Main() {
        Volatile.Write(ref b, true);
        Volatile.Write(ref u1, (byte)200);
        Volatile.Write(ref i1, (sbyte)-100);
        Volatile.Write(ref i2, (short)-30000);
        Volatile.Write(ref u2, (ushort)60000);
        Volatile.Write(ref u4, 4000000000);
        Volatile.Write(ref i8, -(1L << 50));
        Volatile.Write(ref u8, 1UL << 63);
        Volatile.Write(ref f, 0.5f);
        Volatile.Write(ref d, -0.25);
        Volatile.Write(ref p, new IntPtr(9));
        Volatile.Write(ref s, "text");
        Debug.Assert(Volatile.Read(ref b) && Volatile.Read(ref u1) == 200 && Volatile.Read(ref i1) == -100);
        Debug.Assert(Volatile.Read(ref i2) == -30000 && Volatile.Read(ref u2) == 60000 && Volatile.Read(ref u4) == 4000000000);
        Debug.Assert(Volatile.Read(ref i8) == -(1L << 50) && Volatile.Read(ref u8) == 1UL << 63);
        Debug.Assert(Volatile.Read(ref f) == 0.5f && Volatile.Read(ref d) == -0.25);
        Debug.Assert(Volatile.Read(ref p) == new IntPtr(9) && Volatile.Read(ref s) == "text");
        object o = null;
        Thread.VolatileWrite(ref o, s);
        Debug.Assert(Thread.VolatileRead(ref o) == (object)s);
    }
}
