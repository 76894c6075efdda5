// expect: sc violated
using System.Diagnostics; using System.Threading; using System.Collections.Generic;
class Program {
    static void Main() {
        var l = new List<int>(4); 
        var t = new Thread(() => l.Add(1)); t.Start(); l.Add(2); t.Join();
        Debug.Assert(l.Count == 2, "both are there");
    }
}
