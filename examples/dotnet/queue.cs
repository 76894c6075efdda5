// ConcurrentQueue, interpreted as it is: what goes in comes out, once.
//
// expect: sc verified
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Threading;

class Program
{
    static readonly ConcurrentQueue<int> queue = new ConcurrentQueue<int>();

    static void Main()
    {
        var other = new Thread(() => queue.Enqueue(1));
        other.Start();
        queue.Enqueue(2);
        int first, second;
        Debug.Assert(queue.TryDequeue(out first), "one is there");
        other.Join();
        Debug.Assert(queue.TryDequeue(out second), "and another one");
        Debug.Assert(first + second == 3, "they are those that went in");
    }
}
