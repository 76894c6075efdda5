// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics; using System.Threading;
class Node { public int Value; public Node Next; }
class Program {
    static Node head; static int sum;
    static void Push(int v) {
        var n = new Node { Value = v };
        Node old;
        do { old = Volatile.Read(ref head); n.Next = old; } while (Interlocked.CompareExchange(ref head, n, old) != old);
    }
    static bool Pop(out int v) {
        while (true) {
            Node old = Volatile.Read(ref head);
            if (old == null) { v = 0; return false; }
            if (Interlocked.CompareExchange(ref head, old.Next, old) == old) { v = old.Value; return true; }
        }
    }
    static void Main() {
        var t = new Thread(() => { Push(1); int v; if (Pop(out v)) Interlocked.Add(ref sum, v); }); t.Start();
        Push(2); t.Join();
        int w; while (Pop(out w)) sum += w;
        Debug.Assert(sum == 3);
    }
}
