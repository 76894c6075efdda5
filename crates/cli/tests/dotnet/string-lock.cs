// expect: sc verified
// expect: dotnet verified
// states: sc verified
// A string constant is an object like others, and has a monitor: the same text is the same one.
using System.Diagnostics;
using System.Threading;

class StringLock {
    const string Name = "gate";
    static readonly string gate = "gate";
    static int count;

    static void Main() {
        var other = new Thread(() => { lock (gate) { count++; Monitor.Pulse("gate"); } });
        other.Start();
        lock (Name) {
            count++;
            while (count < 2)
                Monitor.Wait(gate);
        }
        other.Join();
        Debug.Assert(count == 2);
    }
}
