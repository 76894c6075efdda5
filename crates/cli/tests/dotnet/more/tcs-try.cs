// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class TcsTry {
    static readonly TaskCompletionSource<int> source = new TaskCompletionSource<int>();
    static int won;

    static void Set(int value) {
        if (source.TrySetResult(value))
            Interlocked.Increment(ref won);
    }

    static void Main() {
        var other = new Thread(() => Set(1));
        other.Start();
        Set(2);
        other.Join();
        Debug.Assert(won == 1 && (source.Task.Result == 1 || source.Task.Result == 2));
    }
}
