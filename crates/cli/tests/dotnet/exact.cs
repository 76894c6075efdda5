// Values that the runtime gives, and what is thrown by it: mono comes to the same.
// expect: sc verified
using System;
using System.Collections.Generic;
using System.Diagnostics;

class Program
{
    static string K(string s) { return s; }

    static string Thrown(Action what)
    {
        try { what(); } catch (Exception e) { return e.GetType().Name; }
        return "nothing";
    }

    static void Main()
    {
        Debug.Assert(string.Empty != null && string.Empty.Length == 0 && K("a,,b").Split(',')[1] == "");
        int[] xs = { 1, 2, 3 }, ys = new int[3];
        Debug.Assert(Thrown(() => Array.Copy(xs, 0, ys, 1, 3)) == "ArgumentException");
        Debug.Assert(Thrown(() => Array.Copy(xs, 0, ys, -1, 1)) == "ArgumentOutOfRangeException");
        Debug.Assert(Thrown(() => Array.Copy(xs, null, 1)) == "ArgumentNullException");
        Debug.Assert(Thrown(() => Array.Clear(ys, 2, 2)) == "IndexOutOfRangeException");
        Debug.Assert(Thrown(() => new Dictionary<string, int>()["none"]++) == "KeyNotFoundException");
        Debug.Assert(Math.Round(2.5) == 2 && Math.Round(-3.5) == -4 && Math.Truncate(-2.7) == -2);
    }
}
