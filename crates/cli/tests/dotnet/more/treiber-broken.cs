// expect: sc violated assertion
using System.Diagnostics; using System.Threading;
class Node { public int Value; public Node Next; }
class Program {
    static volatile Node head; 
    static void Push(int v) { var n = new Node { Value = v }; n.Next = head; head = n; }
    static void Main() {
        var t = new Thread(() => Push(1)); t.Start(); Push(2); t.Join();
        int sum = 0; for (var n = head; n != null; n = n.Next) sum += n.Value;
        Debug.Assert(sum == 3, "nothing is lost");
    }
}
