// expect: sc violated
// Who waits for a task holds the lock that the task waits for.
using System.Threading.Tasks;

class TaskWaitsForLock {
    static readonly object gate = new object();

    static void Main() {
        lock (gate) {
            var task = Task.Run(() => { lock (gate) { } });
            task.Wait();
        }
    }
}
