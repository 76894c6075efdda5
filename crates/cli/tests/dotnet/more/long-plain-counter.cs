// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class LongCounter {
    static long hits;

    static void Main() {
        var other = new Thread(() => hits += 1);
        other.Start();
        hits += 1;
        other.Join();
        Debug.Assert(hits == 2);
    }
}
