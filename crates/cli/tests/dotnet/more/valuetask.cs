// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;

class ValueTasks {
    static async ValueTask<int> Get(bool later) {
        if (later)
            await Task.Yield();
        return 3;
    }

    static void Main() {
        Debug.Assert(Get(false).Result == 3);
        Debug.Assert(Get(true).AsTask().Result == 3);
    }
}
