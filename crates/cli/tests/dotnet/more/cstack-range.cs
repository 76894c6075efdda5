// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class StackRange {
    static readonly ConcurrentStack<int> stack = new ConcurrentStack<int>();

    static void Main() {
        var other = new Thread(() => stack.PushRange(new[] { 1, 2 }));
        other.Start();
        var got = new int[2];
        int n = stack.TryPopRange(got);
        Debug.Assert(n == 0 || n == 2 && got[0] == 2 && got[1] == 1);
        other.Join();
        Debug.Assert(stack.Count == 2 - n);
    }
}
