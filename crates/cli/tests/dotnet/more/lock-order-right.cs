// expect: sc verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;
class Account {
    public int Id, Balance = 10;
}
class Program {
    static void Move(Account a, Account b) {
        var first = a.Id < b.Id ? a : b;
        var second = a.Id < b.Id ? b : a;
        lock (first) lock (second) {
            a.Balance--;
            b.Balance++;
        }
    }
    static void Main() {
        var x = new Account { Id = 1 };
        var y = new Account { Id = 2 };
        var t = new Thread(() => Move(x, y));
        t.Start();
        Move(y, x);
        t.Join();
        Debug.Assert(x.Balance == 10 && y.Balance == 10);
    }
}
