// expect: sc verified
// expect: tso verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class PetersonBarrier {
    static volatile bool want0, want1;
    static volatile int turn;
    static int count;

    static void First() {
        want0 = true;
        turn = 1;
        Interlocked.MemoryBarrier();
        while (want1 && turn == 1)
            Thread.Yield();
        count++;
        want0 = false;
    }

    static void Second() {
        want1 = true;
        turn = 0;
        Interlocked.MemoryBarrier();
        while (want0 && turn == 0)
            Thread.Yield();
        count++;
        want1 = false;
    }

    static void Main() {
        var other = new Thread(Second);
        other.Start();
        First();
        other.Join();
        Debug.Assert(count == 2);
    }
}
