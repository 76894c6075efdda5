// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Traded { public int Value; }

class PublishExchange {
    static Traded shared;
    static int other;

    static void Main() {
        var thread = new Thread(() => { other = 3; Interlocked.Exchange(ref shared, new Traded { Value = 5 }); });
        thread.Start();
        var seen = Volatile.Read(ref shared);
        if (seen != null)
            Debug.Assert(seen.Value == 5 && other == 3);
        thread.Join();
    }
}
