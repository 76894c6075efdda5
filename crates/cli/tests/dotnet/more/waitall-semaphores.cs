// expect: sc verified
using System.Diagnostics;
using System.Threading;

class WaitAllSemaphores {
    static readonly Semaphore forks = new Semaphore(1, 1), knives = new Semaphore(1, 1);
    static int eating;

    static void Eat(WaitHandle[] order) {
        WaitHandle.WaitAll(order);
        Debug.Assert(++eating == 1);
        eating--;
        forks.Release();
        knives.Release();
    }

    static void Main() {
        var other = new Thread(() => Eat(new WaitHandle[] { knives, forks }));
        other.Start();
        Eat(new WaitHandle[] { forks, knives });
        other.Join();
    }
}
