// ARCHTEST's ROWO: one thread writes two fields in order, the other reads them in the other order. Who sees
// the second write sees the first, where reads and writes keep their order.
//
// expect: sc verified
// expect: tso verified
// expect: pso violated assertion
// expect: dotnet-ecma violated assertion
// expect: dotnet violated assertion
using System.Diagnostics;
using System.Threading;

class ReadsAndWrites
{
    static int x, y;
    static int seenY, seenX;

    static void Writer()
    {
        x = 1;
        y = 1;
    }

    static void Reader()
    {
        seenY = y;
        seenX = x;
    }

    static void Main()
    {
        var writer = new Thread(Writer);
        var reader = new Thread(Reader);
        writer.Start();
        reader.Start();
        writer.Join();
        reader.Join();
        Debug.Assert(seenY == 0 || seenX == 1, "writes are seen in their order");
    }
}
