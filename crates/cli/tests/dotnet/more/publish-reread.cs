// expect: dotnet violated assertion
// Two reads of the reference: the second one may find what was there before… it may not, of one location.
using System.Diagnostics;
using System.Threading;

class Reread { public int Value = 5; }

class PublishReread {
    static Reread shared;
    static bool there;

    static void Main() {
        var other = new Thread(() => { shared = new Reread(); there = true; });
        other.Start();
        if (there)
            Debug.Assert(shared != null && shared.Value == 5);
        other.Join();
    }
}
