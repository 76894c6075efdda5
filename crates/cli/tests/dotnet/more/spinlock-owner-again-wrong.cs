// expect: sc violated unhandled-exception
using System.Threading;

class SpinLockAgain {
    static SpinLock gate = new SpinLock(true);

    static void Main() {
        bool first = false, second = false;
        gate.Enter(ref first);
        gate.Enter(ref second);
    }
}
