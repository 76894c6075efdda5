// Independent workers with a shared counter: each works on its own list, and counts what it did under a
// lock after every step.
//
// expect: sc verified
// expect: tso verified
// expect: dotnet-ecma verified
// expect: dotnet verified
using System.Diagnostics;
using System.Threading;

class Node
{
    public int Value;
    public Node Next;
}

class IndependentWorkers
{
    static int steps;
    static readonly object gate = new object();

    static void Run()
    {
        Node list = null;
        for (int i = 0; i < 2; i++)
        {
            list = new Node { Value = i, Next = list };
            lock (gate)
                steps++;
        }
        int sum = 0;
        for (Node node = list; node != null; node = node.Next)
            sum += node.Value;
        Debug.Assert(sum == 1, "the own list is as it was made");
    }

    static void Main()
    {
        var first = new Thread(Run);
        var second = new Thread(Run);
        first.Start();
        second.Start();
        first.Join();
        second.Join();
        Debug.Assert(steps == 4, "every step is counted");
    }
}
