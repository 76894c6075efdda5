// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;

class WhenAnyEither {
    static void Main() {
        var a = Task.Run(() => 1);
        var b = Task.Run(() => 2);
        int first = Task.WhenAny(a, b).Result.Result;
        Debug.Assert(first == 1 || first == 2);
    }
}
