// expect: sc violated assertion
using System.Diagnostics;
using System.Threading.Tasks;

class AsyncReadAwaitWrite {
    static int balance;

    static async Task Deposit(int amount) {
        int seen = balance;
        await Task.Yield();
        balance = seen + amount;
    }

    static void Main() {
        var both = new[] { Deposit(1), Deposit(2) };
        Task.WaitAll(both);
        Debug.Assert(balance == 3);
    }
}
