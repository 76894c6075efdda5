// expect: dotnet verified
using System;
using System.Diagnostics;
using System.Threading;

class PublishClosure {
    static Func<int> shared;

    static void Main() {
        var other = new Thread(() => { int x = 5; shared = () => x; });
        other.Start();
        var seen = shared;
        if (seen != null)
            Debug.Assert(seen() == 5);
        other.Join();
    }
}
