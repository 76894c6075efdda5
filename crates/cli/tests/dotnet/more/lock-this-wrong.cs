// expect: sc violated deadlock
using System.Threading;

class Account {
    public Account Partner;
    public int Balance;

    public void Give() {
        lock (this) {
            Balance--;
            lock (Partner)
                Partner.Balance++;
        }
    }
}

class LockThis {
    static void Main() {
        Account a = new Account(), b = new Account { Partner = a };
        a.Partner = b;
        var other = new Thread(b.Give);
        other.Start();
        a.Give();
        other.Join();
    }
}
