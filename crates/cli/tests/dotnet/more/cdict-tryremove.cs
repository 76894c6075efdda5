// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class DictionaryTryRemove {
    static void Main() {
        var items = new ConcurrentDictionary<string, int>();
        items["a"] = 1;
        int removed = 0;
        var other = new Thread(() => { if (items.TryRemove("a", out int _)) Interlocked.Increment(ref removed); });
        other.Start();
        if (items.TryRemove("a", out int value)) {
            Debug.Assert(value == 1);
            Interlocked.Increment(ref removed);
        }
        other.Join();
        Debug.Assert(removed == 1 && !items.ContainsKey("a"));
    }
}
