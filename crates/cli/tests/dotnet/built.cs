// A string that was put together is followed: this one is another.
//
// expect: sc violated assertion line=12
using System.Diagnostics;

class Built
{
    static void Main()
    {
        int n = 2;
        string s = "a" + n;
        Debug.Assert(s == "a1", "it is another");
    }
}
