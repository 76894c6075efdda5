// expect: sc violated
using System.Diagnostics; using System.Threading; using System.Collections.Generic;
class Program {
    static void Main() {
        var l = new Dictionary<int, int>(); 
        var t = new Thread(() => l[1] = 1); t.Start(); l[2] = 2; t.Join();
        Debug.Assert(l.Count == 2, "both are there");
    }
}
