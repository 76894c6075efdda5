// expect: sc verified
using System.Diagnostics; using System.Threading; using System.Threading.Tasks;
class Program {
    static readonly SemaphoreSlim gate = new SemaphoreSlim(1); static int n;
    static async Task Work() { await gate.WaitAsync(); try { n++; } finally { gate.Release(); } }
    static void Main() { var a = Task.Run(Work); Work().Wait(); a.Wait(); Debug.Assert(n == 2); }
}
