// expect: sc verified
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class PlainRing {
    readonly int[] items = new int[2];
    int head, tail;

    public bool Put(int item) {
        int at = tail;
        if (at - head == items.Length)
            return false;
        items[at % items.Length] = item;
        tail = at + 1;
        return true;
    }

    public bool Take(out int item) {
        int at = head;
        item = 0;
        if (at == tail)
            return false;
        item = items[at % items.Length];
        head = at + 1;
        return true;
    }
}

class SpscRingPlain {
    static void Main() {
        var ring = new PlainRing();
        var producer = new Thread(() => ring.Put(1));
        producer.Start();
        if (ring.Take(out int first))
            Debug.Assert(first == 1);
        producer.Join();
    }
}
