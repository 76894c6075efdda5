// expect: sc verified
using System.Threading; using System; using System.Threading.Tasks; using System.Diagnostics;
class P { static int x;
 static async Task<int> F() { await Task.Yield(); x = 2; return 5; }
 static void Main() { Debug.Assert(F().Result == 5); Debug.Assert(x == 2); } }
