// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static readonly SemaphoreSlim sem = new SemaphoreSlim(1); static int count;
    static void Work() { sem.Wait(); count++; sem.Release(); }
    static void Main() { var t = new Thread(Work); t.Start(); Work(); t.Join(); Debug.Assert(count == 2); }
}
