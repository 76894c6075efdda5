// expect: dotnet violated assertion
// Storing a reference publishes its object, and not what that object refers to, if it was stored there before it was made.
using System.Diagnostics;
using System.Threading;

class Inner { public int Value; }
class Outer { public Inner Inner; }

class PublishChain {
    static Outer shared;
    static readonly Inner inner = new Inner();

    static void Main() {
        var other = new Thread(() => {
            var outer = new Outer { Inner = inner };
            inner.Value = 5;
            shared = outer;
        });
        other.Start();
        var seen = shared;
        if (seen != null)
            Debug.Assert(seen.Inner.Value == 5);
        other.Join();
    }
}
