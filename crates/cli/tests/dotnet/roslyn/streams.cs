// C# 8: asynchronous streams.
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;

class AsyncStream {
    static async IAsyncEnumerable<int> Numbers(int n) {
        for (int i = 1; i <= n; i++) {
            await Task.CompletedTask;
            yield return i;
        }
    }

    static async Task Main() {
        int sum = 0;
        await foreach (int x in Numbers(3))
            sum += x;
        Debug.Assert(sum == 6);
    }
}
