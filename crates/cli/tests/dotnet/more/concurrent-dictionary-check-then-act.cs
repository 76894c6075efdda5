// expect: sc violated assertion
using System.Diagnostics; using System.Threading; using System.Collections.Concurrent;
class Program {
    static readonly ConcurrentDictionary<int, int> d = new ConcurrentDictionary<int, int>();
    static void Add() { int v; if (!d.TryGetValue(1, out v)) v = 0; d[1] = v + 1; }
    static void Main() { var t = new Thread(Add); t.Start(); Add(); t.Join(); Debug.Assert(d[1] == 2, "lost"); }
}
