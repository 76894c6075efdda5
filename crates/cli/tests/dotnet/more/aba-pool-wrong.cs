// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class PoolNode {
    public PoolNode Next;
    public int Taken;
}

class AbaPool {
    static PoolNode head;

    static PoolNode Pop() {
        while (true) {
            var first = head;
            if (first == null)
                return null;
            if (Interlocked.CompareExchange(ref head, first.Next, first) == first)
                return first;
        }
    }

    static void Push(PoolNode node) {
        PoolNode first;
        do {
            first = head;
            node.Next = first;
        } while (Interlocked.CompareExchange(ref head, node, first) != first);
    }

    static void Main() {
        Push(new PoolNode());
        Push(new PoolNode());
        var other = new Thread(() => {
            var a = Pop();
            var b = Pop();
            if (b != null)
                Interlocked.Increment(ref b.Taken);
            if (a != null)
                Push(a);
        });
        other.Start();
        Pop();
        var last = Pop();
        if (last != null)
            Debug.Assert(Interlocked.Increment(ref last.Taken) == 1);
        other.Join();
    }
}
