// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

struct Whole { public int Value; public bool There; }

class PublishStruct {
    static Whole shared;

    static void Main() {
        var other = new Thread(() => shared = new Whole { Value = 5, There = true });
        other.Start();
        if (shared.There)
            Debug.Assert(shared.Value == 5);
        other.Join();
    }
}
