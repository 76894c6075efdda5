// expect: sc verified
// Nobody looks at the task: its exception is nobody's.
using System;
using System.Diagnostics;
using System.Threading.Tasks;

class TaskExceptionLost {
    static void Main() {
        var task = Task.Run(() => { throw new Exception("not looked at"); });
        while (!task.IsCompleted)
            System.Threading.Thread.Yield();
        Debug.Assert(task.IsFaulted);
    }
}
