// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class AsyncLazy {
    static int made;
    static readonly Lazy<Task<int>> value = new Lazy<Task<int>>(() => Task.FromResult(Interlocked.Increment(ref made)));

    static async Task<int> Get() {
        return await value.Value;
    }

    static void Main() {
        int other = 0;
        var thread = new Thread(() => other = Get().Result);
        thread.Start();
        int own = Get().Result;
        thread.Join();
        Debug.Assert(own == 1 && other == 1 && made == 1);
    }
}
