// expect: sc violated unhandled-exception
using System;
using System.Threading.Tasks;

class TaskWaitThrows {
    static void Main() {
        var task = Task.Run(() => { throw new InvalidOperationException("looked at"); });
        task.Wait();
    }
}
