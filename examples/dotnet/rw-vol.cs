// Read after write, on volatile fields: each of two threads writes its own field and then reads the
// other's. If volatile accesses were sequentially consistent, one of them would see the other's write.
//
// expect: sc verified
// expect: tso violated assertion
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class ReadAfterWrite
{
    static volatile int a, b;
    static int seenByFirst, seenBySecond;

    static void First()
    {
        a = 1;
        seenByFirst = b;
    }

    static void Second()
    {
        b = 1;
        seenBySecond = a;
    }

    static void Main()
    {
        var first = new Thread(First);
        var second = new Thread(Second);
        first.Start();
        second.Start();
        first.Join();
        second.Join();
        Debug.Assert(seenByFirst == 1 || seenBySecond == 1, "one of them sees the other");
    }
}
