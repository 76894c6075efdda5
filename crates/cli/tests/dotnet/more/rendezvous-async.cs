// expect: sc verified
using System.Diagnostics;
using System.Threading.Tasks;

class RendezvousAsync {
    static readonly TaskCompletionSource<int> a = new TaskCompletionSource<int>(), b = new TaskCompletionSource<int>();

    static async Task<int> Meet(TaskCompletionSource<int> own, TaskCompletionSource<int> other, int value) {
        own.SetResult(value);
        return await other.Task;
    }

    static void Main() {
        var first = Task.Run(() => Meet(a, b, 1));
        int second = Meet(b, a, 2).Result;
        Debug.Assert(second == 1 && first.Result == 2);
    }
}
