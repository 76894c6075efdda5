// expect: sc violated deadlock
using System.Threading;
class P { static object a = new object(), b = new object();
 static void Main() { var t = new Thread(() => { lock (a) lock (b) { } }); t.Start(); lock (b) lock (a) { } t.Join(); } }
