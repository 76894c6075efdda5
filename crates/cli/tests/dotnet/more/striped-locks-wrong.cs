// expect: sc violated assertion
// Locks by hash code: two objects need not have the same lock.
using System.Diagnostics;
using System.Threading;

class StripedLocks {
    static readonly object[] locks = { new object(), new object(), new object(), new object() };
    static int total;

    static void Add(object account) {
        lock (locks[(account.GetHashCode() & 0x7fffffff) % locks.Length])
            total++;
    }

    static void Main() {
        object a = new object(), b = new object();
        var other = new Thread(() => Add(a));
        other.Start();
        Add(b);
        other.Join();
        Debug.Assert(total == 2);
    }
}
