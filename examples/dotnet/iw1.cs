// Independent workers: each fills an object of its own and adds it up; only the two sums meet.
//
// expect: sc verified
// expect: tso verified
// expect: dotnet-ecma verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Worker
{
    readonly int[] items = new int[3];
    public int Sum;

    public void Work()
    {
        for (int i = 0; i < items.Length; i++)
            items[i] = i + 1;
        foreach (int item in items)
            Sum += item;
    }
}

class IndependentWorkers
{
    static int total;
    static readonly object gate = new object();

    static void Run()
    {
        var worker = new Worker();
        worker.Work();
        lock (gate)
            total += worker.Sum;
    }

    static void Main()
    {
        var first = new Thread(Run);
        var second = new Thread(Run);
        first.Start();
        second.Start();
        first.Join();
        second.Join();
        Debug.Assert(total == 12, "both sums are counted");
    }
}
