// expect: sc violated assertion
using System.Diagnostics;
using System.Threading;

class Pair {
    public int Low, High;
}

class RcuTwoReads {
    static Pair current = new Pair { Low = 0, High = 1 };

    static void Main() {
        var writer = new Thread(() => current = new Pair { Low = 10, High = 11 });
        writer.Start();
        int low = current.Low;
        int high = current.High;
        Debug.Assert(high == low + 1);
        writer.Join();
    }
}
