// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static readonly ThreadLocal<int> mine = new ThreadLocal<int>(() => 10); [System.ThreadStatic] static int own;
    static void Main() {
        var t = new Thread(() => { mine.Value++; own++; Debug.Assert(mine.Value == 11 && own == 1); }); t.Start();
        mine.Value++; own++; Debug.Assert(mine.Value == 11 && own == 1); t.Join();
    }
}
