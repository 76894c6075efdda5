// expect: sc violated assertion
using System.Diagnostics; using System.Threading;
class Program {
    static readonly SemaphoreSlim sem = new SemaphoreSlim(2); static int count;
    static void Work() { sem.Wait(); count++; sem.Release(); }
    static void Main() { var t = new Thread(Work); t.Start(); Work(); t.Join(); Debug.Assert(count == 2); }
}
