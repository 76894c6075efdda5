// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Collections.Generic;
using System.Linq;
class Program {
    static IEnumerable<int> Numbers() {
        for (int i = 0; i < 3; i++) yield return i;
    }
    static int s;
    static void Main() {
        var n = Numbers();
        var t = new Thread(() => { s += n.Sum(); });
        t.Start();
        t.Join();
        s += n.Sum();
        Debug.Assert(s == 6);
    }
}
