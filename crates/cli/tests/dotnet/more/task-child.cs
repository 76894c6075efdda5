// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;

class TaskChild {
    static int data;

    static void Main() {
        var parent = Task.Factory.StartNew(() => {
            Task.Factory.StartNew(() => data = 1, TaskCreationOptions.AttachedToParent);
        });
        parent.Wait();
        Debug.Assert(data == 1);
    }
}
