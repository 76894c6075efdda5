// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma verified
using System.Diagnostics;
using System.Threading;

class Ring {
    readonly int[] items = new int[2];
    volatile int head, tail;

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

class SpscRing {
    static void Main() {
        var ring = new Ring();
        var producer = new Thread(() => { ring.Put(1); ring.Put(2); });
        producer.Start();
        int first, second;
        if (ring.Take(out first)) {
            Debug.Assert(first == 1);
            if (ring.Take(out second))
                Debug.Assert(second == 2);
        }
        producer.Join();
    }
}
