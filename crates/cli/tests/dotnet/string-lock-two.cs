// expect: sc violated assertion
// states: sc violated assertion
// Two texts are two monitors.
using System.Diagnostics;
using System.Threading;

class StringLockTwo {
    static readonly string one = "one", two = "two";
    static int count;

    static void Main() {
        var other = new Thread(() => { lock (two) count++; });
        other.Start();
        lock (one) count++;
        other.Join();
        Debug.Assert(count == 2);
    }
}
