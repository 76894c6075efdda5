// ARCHTEST's PO: all of program order. Two threads each write a field and read the other one, and write
// another; the order of all four accesses shows at the end.
//
// expect: sc verified
// expect: tso violated assertion
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class ProgramOrder
{
    static int a, b, x, y;
    static int seenB, seenA, seenX, seenY;

    static void First()
    {
        a = 1;
        seenB = b;
        x = 1;
        seenY = y;
    }

    static void Second()
    {
        b = 1;
        seenA = a;
        y = 1;
        seenX = x;
    }

    static void Main()
    {
        var first = new Thread(First);
        var second = new Thread(Second);
        first.Start();
        second.Start();
        first.Join();
        second.Join();
        Debug.Assert(seenB == 1 || seenA == 1, "a write before a read");
        Debug.Assert(seenY == 1 || seenX == 1, "and so again");
        Debug.Assert(seenX == 0 || seenB == 1 || seenA == 1, "a read before a write");
    }
}
