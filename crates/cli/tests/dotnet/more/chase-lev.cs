// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Deque {
    readonly int[] items = new int[4];
    volatile int top, bottom;

    public void Push(int item) {
        int at = bottom;
        Volatile.Write(ref items[at], item);
        bottom = at + 1;
    }

    public int Pop() {
        int at = bottom - 1;
        bottom = at;
        Interlocked.MemoryBarrier();
        int first = top;
        if (first > at) {
            bottom = first;
            return 0;
        }
        int item = Volatile.Read(ref items[at]);
        if (first < at)
            return item;
        if (Interlocked.CompareExchange(ref top, first + 1, first) != first)
            item = 0;
        bottom = at + 1;
        return item;
    }

    public int Steal() {
        int first = top;
        Interlocked.MemoryBarrier();
        if (first >= bottom)
            return 0;
        int item = Volatile.Read(ref items[first]);
        return Interlocked.CompareExchange(ref top, first + 1, first) == first ? item : 0;
    }
}

class ChaseLev {
    static void Main() {
        var deque = new Deque();
        deque.Push(1);
        int stolen = 0;
        var thief = new Thread(() => stolen = deque.Steal());
        thief.Start();
        int own = deque.Pop();
        thief.Join();
        Debug.Assert(own + stolen == 1);
    }
}
