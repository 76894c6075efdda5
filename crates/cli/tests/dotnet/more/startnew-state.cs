// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class StartNewState {
    static void Main() {
        var task = Task.Factory.StartNew(state => (int)state + 1, 4, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);
        Debug.Assert(task.Result == 5 && (int)task.AsyncState == 4);
        Debug.Assert(task.Status == TaskStatus.RanToCompletion);
    }
}
