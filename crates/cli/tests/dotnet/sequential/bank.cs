using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class InsufficientFunds : Exception {
    public decimal Missing;
    public InsufficientFunds(decimal m) : base("missing " + (int)m) {
        Missing = m;
    }
}
class Account {
    public decimal Balance { get; private set; }
    readonly List<Tuple<string, decimal>> log = new List<Tuple<string, decimal>>();
    public void Deposit(decimal d) {
        if (d <= 0) throw new ArgumentOutOfRangeException("d");
        Balance += d;
        log.Add(Tuple.Create("in", d));
    }
    public void Withdraw(decimal d) {
        if (d > Balance) throw new InsufficientFunds(d - Balance);
        Balance -= d;
        log.Add(Tuple.Create("out", d));
    }
    public IEnumerable<string> Log {
        get {
            return log.Select(t => t.Item1 + (int)t.Item2);
        }
    }
}
class Program {
    static void Main() {
        var a = new Account();
        a.Deposit(100.5m);
        a.Withdraw(50m);
        T.W((int)(a.Balance * 10));
        try {
            a.Withdraw(1000m);
        } catch (InsufficientFunds e) {
            T.W(e.Message);
            T.W(e.Missing > 900m);
        }
        try {
            a.Deposit(0);
        } catch (ArgumentException e) {
            T.W(e.ParamName);
        }
        T.W(string.Join(",", a.Log));
    }
}
