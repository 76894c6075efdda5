// expect: sc verified
using System.Threading; using System; using System.Threading.Tasks; using System.Diagnostics;
class P { static int x;
 static void Main() { var t = Task.Run(() => { x = 1; }); t.Wait(); Debug.Assert(x == 1); } }
