// Publication of an object by a plain store of its reference, with what it refers to: today's runtime keeps
// the stores to an object before the store of a reference to it, and reads through a reference after the read
// of it. The table of ECMA-335 knows nothing of the first.
//
// expect: sc verified
// expect: tso verified
// expect: dotnet-ecma violated assertion
// expect: dotnet verified
using System;
using System.Diagnostics;
using System.Threading;

class Node
{
    public int Value;
    public Node Next;
}

class Program
{
    static Node head;
    static Func<int> sum;

    static void Build()
    {
        var last = new Node { Value = 2 };
        var first = new Node { Value = 1 };
        first.Next = last;
        head = first;
        // A closure is an object, too.
        int all = first.Value + last.Value;
        sum = () => all;
    }

    static void Main()
    {
        var builder = new Thread(Build);
        builder.Start();
        Node first = head;
        if (first != null)
        {
            Node next = first.Next;
            Debug.Assert(next != null && next.Value == 2, "the list is whole");
        }
        Func<int> ask = sum;
        if (ask != null)
            Debug.Assert(ask() == 3, "what was captured is there");
        builder.Join();
    }
}
