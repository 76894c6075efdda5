// Peterson's mutual exclusion for two threads, with volatile fields: a volatile write may still be
// overtaken by the volatile read after it, so both may enter, and an increment is lost (seed 003, Fig. 1).
//
// expect: sc verified
// expect: tso violated assertion
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class Peterson
{
    static volatile int lock0, lock1, turn;
    static int counter;

    static void First()
    {
        lock0 = 1;
        turn = 1;
        while (true)
            if (lock1 != 1 || turn == 0)
                break;
        counter++;
        lock0 = 0;
    }

    static void Second()
    {
        lock1 = 1;
        turn = 0;
        while (true)
            if (lock0 != 1 || turn == 1)
                break;
        counter++;
        lock1 = 0;
    }

    static void Main()
    {
        var first = new Thread(First);
        var second = new Thread(Second);
        first.Start();
        second.Start();
        first.Join();
        second.Join();
        Debug.Assert(counter == 2, "no increment is lost");
    }
}
