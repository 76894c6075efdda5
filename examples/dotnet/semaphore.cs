// SemaphoreSlim, interpreted as it is: one at a time.
//
// expect: sc verified
using System.Diagnostics;
using System.Threading;

class Program
{
    static readonly SemaphoreSlim gate = new SemaphoreSlim(1);
    static int counter;

    static void Run()
    {
        gate.Wait();
        counter++;
        gate.Release();
    }

    static void Main()
    {
        var other = new Thread(Run);
        other.Start();
        Run();
        other.Join();
        Debug.Assert(counter == 2, "no increment is lost");
    }
}
