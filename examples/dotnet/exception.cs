// An exception that is only thrown if another thread comes in between, and that nobody catches.
//
// expect: sc violated unhandled-exception
// message: InvalidOperationException
using System;
using System.Threading;

class Account
{
    int balance = 10;

    public void Withdraw(int amount)
    {
        if (balance < amount)
            return;
        int left = Interlocked.Add(ref balance, -amount);
        if (left < 0)
            throw new InvalidOperationException("the account is overdrawn");
    }
}

class Program
{
    static void Main()
    {
        var account = new Account();
        var other = new Thread(() => account.Withdraw(10));
        other.Start();
        account.Withdraw(10);
        other.Join();
    }
}
