// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;
class Node {
    public int Value;
    public Node Next;
}
class Program {
    static Node head = new Node(), tail = head;
    static void Enqueue(int v) {
        var n = new Node { Value = v };
        while (true) {
            Node t = Volatile.Read(ref tail), next = Volatile.Read(ref t.Next);
            if (next == null) {
                if (Interlocked.CompareExchange(ref t.Next, n, null) == null) {
                    Interlocked.CompareExchange(ref tail, n, t);
                    return;
                }
            } else Interlocked.CompareExchange(ref tail, next, t);
        }
    }
    static bool Dequeue(out int v) {
        while (true) {
            Node h = Volatile.Read(ref head), t = Volatile.Read(ref tail), next = Volatile.Read(ref h.Next);
            if (next == null) {
                v = 0;
                return false;
            }
            if (h == t) {
                Interlocked.CompareExchange(ref tail, next, t);
                continue;
            }
            v = next.Value;
            if (Interlocked.CompareExchange(ref head, next, h) == h) return true;
        }
    }
    static void Main() {
        var t = new Thread(() => { Enqueue(1); });
        t.Start();
        Enqueue(2);
        int a;
        Debug.Assert(Dequeue(out a));
        t.Join();
        int b;
        Debug.Assert(Dequeue(out b));
        Debug.Assert(a + b == 3);
    }
}
