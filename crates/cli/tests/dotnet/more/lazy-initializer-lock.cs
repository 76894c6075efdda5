// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class LazyInitializerLock {
    static int made, value;
    static bool initialised;
    static object gate;

    static int Get() {
        return LazyInitializer.EnsureInitialized(ref value, ref initialised, ref gate, () => { made++; return 5; });
    }

    static void Main() {
        int other = 0;
        var thread = new Thread(() => other = Get());
        thread.Start();
        int own = Get();
        thread.Join();
        Debug.Assert(own == 5 && other == 5 && made == 1);
    }
}
