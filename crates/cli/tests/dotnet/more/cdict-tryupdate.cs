// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class DictionaryTryUpdate {
    static readonly ConcurrentDictionary<int, int> counts = new ConcurrentDictionary<int, int>();

    static void Add() {
        int seen;
        do {
            seen = counts[1];
        } while (!counts.TryUpdate(1, seen + 1, seen));
    }

    static void Main() {
        counts[1] = 0;
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(counts[1] == 2);
    }
}
