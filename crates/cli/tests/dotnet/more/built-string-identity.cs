// expect: sc unknown
// Equal strings that are put together need not be the same object.
using System.Diagnostics;

class BuiltStringIdentity {
    static void Main() {
        int n = 5;
        object a = "x" + n, b = "x" + n;
        Debug.Assert(ReferenceEquals(a, b));
    }
}
