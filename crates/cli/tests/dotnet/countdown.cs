// expect: sc verified
using System.Threading; using System; using System.Diagnostics;
class P { static int x; static CountdownEvent c = new CountdownEvent(2);
 static void W() { Interlocked.Increment(ref x); c.Signal(); }
 static void Main() { new Thread(W).Start(); new Thread(W).Start(); c.Wait(); Debug.Assert(x == 2); } }
