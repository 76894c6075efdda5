// expect: sc verified
// expect: dotnet verified
using System.Diagnostics; using System.Threading;
class Node { public int Key; public Node Next; public Node(int k, Node n) { Key = k; Next = n; } }
class Program {
    static readonly Node head = new Node(0, new Node(100, null));
    static void Add(int key) {
        while (true) {
            Node p = head, c = Volatile.Read(ref p.Next);
            while (c.Key < key) { p = c; c = Volatile.Read(ref p.Next); }
            if (Interlocked.CompareExchange(ref p.Next, new Node(key, c), c) == c) return;
        }
    }
    static void Main() {
        var t = new Thread(() => Add(5)); t.Start(); Add(7); t.Join();
        int n = 0, last = -1; for (var c = head; c != null; c = c.Next) { Debug.Assert(c.Key > last); last = c.Key; n++; }
        Debug.Assert(n == 4);
    }
}
