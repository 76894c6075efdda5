// expect: sc verified
using System;
using System.Diagnostics;

class Mathematics {
    static void Main() {
        Debug.Assert(Math.Pow(2, 10) == 1024 && Math.Pow(9, 0.5) == 3 && Math.Pow(2, -1) == 0.5);
        Debug.Assert(Math.Sin(0) == 0 && Math.Cos(0) == 1 && Math.Atan2(0, 1) == 0);
        Debug.Assert(Math.Exp(0) == 1 && Math.Log(1) == 0 && Math.Log10(1000) == 3);
        Debug.Assert(Math.Max(3, 4) == 4 && Math.Min(2.5, 1.5) == 1.5 && Math.Abs(-3) == 3);
    }
}
