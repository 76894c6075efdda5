// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics; using System.Threading;
class Program {
    static SpinLock spin = new SpinLock(false); static int count;
    static void Work() { bool taken = false; try { spin.Enter(ref taken); count++; } finally { if (taken) spin.Exit(); } }
    static void Main() {
        var a = new Thread(Work); var b = new Thread(Work); a.Start(); b.Start(); a.Join(); b.Join();
        Debug.Assert(count == 2);
    }
}
