// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;

class WaitAnyTasks {
    static void Main() {
        var tasks = new Task[] { Task.Run(() => { }), Task.Run(() => { }) };
        int index = Task.WaitAny(tasks);
        Debug.Assert(tasks[index].IsCompleted);
    }
}
