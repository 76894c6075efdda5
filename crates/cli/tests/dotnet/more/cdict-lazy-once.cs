// expect: sc verified
using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class DictionaryLazyOnce {
    static readonly ConcurrentDictionary<string, Lazy<int>> cache = new ConcurrentDictionary<string, Lazy<int>>();
    static int made;

    static int Get() {
        return cache.GetOrAdd("key", _ => new Lazy<int>(() => Interlocked.Increment(ref made))).Value;
    }

    static void Main() {
        int other = 0;
        var thread = new Thread(() => other = Get());
        thread.Start();
        int own = Get();
        thread.Join();
        Debug.Assert(own == 1 && other == 1 && made == 1);
    }
}
