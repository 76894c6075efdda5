// expect: sc violated deadlock
using System.Threading;
class Account {
    public int Balance = 10;
}
class Program {
    static void Move(Account a, Account b) {
        lock (a) lock (b) {
            a.Balance--;
            b.Balance++;
        }
    }
    static void Main() {
        var x = new Account();
        var y = new Account();
        var t = new Thread(() => Move(x, y));
        t.Start();
        Move(y, x);
        t.Join();
    }
}
