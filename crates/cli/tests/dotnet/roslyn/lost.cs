using System.Diagnostics;
using System.Threading;

class Program
{
    static int counter;

    static void Increment()
    {
        var seen = counter;
        counter = seen + 1;
    }

    static void Main()
    {
        var thread = new Thread(Increment);
        thread.Start();
        Increment();
        thread.Join();
        Debug.Assert(counter == 2, "no increment is lost");
    }
}
