// expect: sc violated assertion
using System.Diagnostics;
using System.Threading.Tasks;

class TaskChildDetached {
    static int data;

    static void Main() {
        var parent = Task.Factory.StartNew(() => {
            Task.Factory.StartNew(() => data = 1);
        });
        parent.Wait();
        Debug.Assert(data == 1);
    }
}
