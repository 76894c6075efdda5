// expect: sc verified
using System.Diagnostics;
using System.Threading;

class Numbered {
    static int last;
    public readonly int Id = Interlocked.Increment(ref last);
    public int Balance;

    public static void Give(Numbered from, Numbered to) {
        Numbered first = from.Id < to.Id ? from : to, second = from.Id < to.Id ? to : from;
        lock (first)
            lock (second) {
                from.Balance--;
                to.Balance++;
            }
    }
}

class LockById {
    static void Main() {
        Numbered a = new Numbered(), b = new Numbered();
        var other = new Thread(() => Numbered.Give(b, a));
        other.Start();
        Numbered.Give(a, b);
        other.Join();
        Debug.Assert(a.Balance == 0 && b.Balance == 0);
    }
}
