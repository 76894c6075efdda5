// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class CopyOnWrite {
    static int[] items = new int[0];
    static readonly object gate = new object();

    static void Add(int item) {
        lock (gate) {
            var more = new int[items.Length + 1];
            items.CopyTo(more, 0);
            more[items.Length] = item;
            items = more;
        }
    }

    static void Main() {
        var other = new Thread(() => Add(3));
        other.Start();
        foreach (int item in items)
            Debug.Assert(item == 3);
        Add(4);
        other.Join();
        Debug.Assert(items.Length == 2);
    }
}
