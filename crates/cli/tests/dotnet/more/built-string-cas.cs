// expect: sc unknown
using System.Diagnostics;
using System.Threading;

class BuiltStringCas {
    static string text = "a";

    static void Main() {
        int n = 1;
        text = "a" + n;
        string same = "a" + n;
        Debug.Assert(Interlocked.CompareExchange(ref text, "b", same) == same && text == "b");
    }
}
