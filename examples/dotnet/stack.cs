// A stack whose top is exchanged by Interlocked: what is pushed is popped once.
//
// expect: sc verified
// expect: tso verified
using System.Diagnostics;
using System.Threading;

class Node
{
    public int Value;
    public Node Next;
}

class Stack
{
    Node top;

    public void Push(int value)
    {
        var node = new Node { Value = value };
        Node seen;
        do
        {
            seen = Volatile.Read(ref top);
            node.Next = seen;
        } while (Interlocked.CompareExchange(ref top, node, seen) != seen);
    }

    public int Pop()
    {
        while (true)
        {
            Node seen = Volatile.Read(ref top);
            if (seen == null)
                return 0;
            if (Interlocked.CompareExchange(ref top, seen.Next, seen) == seen)
                return seen.Value;
        }
    }
}

class Program
{
    static readonly Stack stack = new Stack();
    static int popped;

    static void Run()
    {
        stack.Push(2);
        Interlocked.Add(ref popped, stack.Pop());
    }

    static void Main()
    {
        var other = new Thread(Run);
        other.Start();
        stack.Push(1);
        Interlocked.Add(ref popped, stack.Pop());
        other.Join();
        Debug.Assert(popped == 3, "everything is popped once");
    }
}
