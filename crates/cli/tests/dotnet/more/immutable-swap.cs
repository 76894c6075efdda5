// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma violated
using System.Diagnostics;
using System.Threading;
class Settings {
    public readonly int A, B;
    public Settings(int n) {
        A = n;
        B = n;
    }
}
class Program {
    static Settings current = new Settings(0);
    static void Main() {
        var t = new Thread(() => current = new Settings(1));
        t.Start();
        var c = current;
        Debug.Assert(c.A == c.B, "whole");
        t.Join();
    }
}
