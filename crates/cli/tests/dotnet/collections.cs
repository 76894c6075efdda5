// Collections that threads share, by the class library's own code.
//
// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class Collections
{
    static void Main()
    {
        var counts = new ConcurrentDictionary<string, int>();
        var stack = new ConcurrentStack<int>();
        var other = new Thread(() =>
        {
            counts.AddOrUpdate("k", 1, (key, old) => old + 1);
            stack.Push(1);
        });
        other.Start();
        counts.AddOrUpdate("k", 1, (key, old) => old + 1);
        stack.Push(2);
        other.Join();
        Debug.Assert(counts["k"] == 2 && counts.Count == 1);
        int x, y;
        Debug.Assert(stack.TryPop(out x) && stack.TryPop(out y) && x + y == 3);
    }
}
