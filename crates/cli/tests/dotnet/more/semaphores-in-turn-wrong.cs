// expect: sc violated deadlock
using System.Threading;

class SemaphoresInTurn {
    static readonly Semaphore forks = new Semaphore(1, 1), knives = new Semaphore(1, 1);

    static void Eat(Semaphore one, Semaphore other) {
        one.WaitOne();
        other.WaitOne();
        one.Release();
        other.Release();
    }

    static void Main() {
        var thread = new Thread(() => Eat(knives, forks));
        thread.Start();
        Eat(forks, knives);
        thread.Join();
    }
}
