// Publication by Volatile.Write and Volatile.Read: a release and an acquire.
//
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
using System.Diagnostics;
using System.Threading;

class Program
{
    static int data, ready;

    static void Main()
    {
        var writer = new Thread(() =>
        {
            data = 42;
            Volatile.Write(ref ready, 1);
        });
        writer.Start();
        if (Volatile.Read(ref ready) == 1)
            Debug.Assert(data == 42, "who sees the flag sees the data");
        writer.Join();
    }
}
