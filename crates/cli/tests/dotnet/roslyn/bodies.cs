// C# 8: a body of an interface that loses an increment, and one of a class that does not.
using System.Diagnostics;
using System.Threading;

interface ICounter {
    int Value { get; set; }
    void Increment() => Value++;
}

class Plain : ICounter { public int Value { get; set; } }
class Locked : ICounter {
    public int Value { get; set; }
    void ICounter.Increment() { lock (this) Value++; }
}

class DefaultInterface {
    static int Run(ICounter c) {
        var t = new Thread(() => c.Increment());
        t.Start();
        c.Increment();
        t.Join();
        return c.Value;
    }

    static void Main() {
        Debug.Assert(Run(new Locked()) == 2);
        Debug.Assert(Run(new Plain()) == 2);
    }
}
