// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Runtime.CompilerServices;
class Program { static int n; [MethodImpl(MethodImplOptions.Synchronized)] static void Work() { n++; } static void Main() { var t = new Thread(Work); t.Start(); Work(); t.Join(); Debug.Assert(n == 2); } }
