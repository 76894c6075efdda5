// expect: sc verified
using System.Diagnostics;
using System.Threading;

class SpinLockTry {
    static SpinLock gate = new SpinLock(false);
    static int count, added;

    static void Add() {
        bool taken = false;
        gate.TryEnter(ref taken);
        if (!taken)
            return;
        count++;
        added++;
        gate.Exit();
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count >= 1 && count == added);
    }
}
