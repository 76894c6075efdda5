// expect: sc verified
using System.Diagnostics;
using System.Threading;

class SpinLockOwner {
    static SpinLock gate = new SpinLock(true);
    static int count;

    static void Add() {
        bool taken = false;
        gate.Enter(ref taken);
        count++;
        gate.Exit();
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
