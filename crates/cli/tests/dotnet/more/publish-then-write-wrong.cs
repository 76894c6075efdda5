// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class Late { public int Value; }

class PublishThenWrite {
    static Late shared;

    static void Main() {
        var other = new Thread(() => {
            var late = new Late();
            shared = late;
            late.Value = 5;
        });
        other.Start();
        var seen = shared;
        if (seen != null)
            Debug.Assert(seen.Value == 5);
        other.Join();
    }
}
