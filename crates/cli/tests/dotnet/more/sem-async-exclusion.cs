// expect: sc verified
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class SemAsyncExclusion {
    static readonly SemaphoreSlim gate = new SemaphoreSlim(1, 1);
    static int balance;

    static async Task Deposit(int amount) {
        await gate.WaitAsync();
        try {
            balance += amount;
        } finally {
            gate.Release();
        }
    }

    static void Main() {
        var other = Task.Run(() => Deposit(1));
        Deposit(2).Wait();
        other.Wait();
        Debug.Assert(balance == 3);
    }
}
