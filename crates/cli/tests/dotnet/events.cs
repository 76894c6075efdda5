// expect: sc verified
using System; using System.Diagnostics; using System.Threading;
class P { static AutoResetEvent e = new AutoResetEvent(false); static ManualResetEvent m = new ManualResetEvent(false); static int x; [ThreadStatic] static int ts;
 static void Main() { var t = new Thread((object o) => { ts = 5; x = (int)o; e.Set(); m.WaitOne(); Debug.Assert(ts == 5); }); t.Start(9); e.WaitOne(); Debug.Assert(x == 9 && ts == 0); m.Set(); t.Join(); t.Join(); } }
