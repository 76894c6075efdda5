// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Settings {
    public int Low, High;
}

class RcuSnapshot {
    static Settings current = new Settings { Low = 0, High = 1 };

    static void Main() {
        var writer = new Thread(() => current = new Settings { Low = 10, High = 11 });
        writer.Start();
        var seen = current;
        Debug.Assert(seen.High == seen.Low + 1);
        writer.Join();
    }
}
