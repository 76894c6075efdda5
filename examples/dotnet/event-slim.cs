// ManualResetEventSlim by the class library's own code, its waiting included: it looks at its flag, spins,
// and waits for a monitor. Whoever waits sees what was written before the event was set, and nobody is
// forgotten.
//
// expect: sc verified
// check: --whole-library
using System.Diagnostics;
using System.Threading;

class Once
{
    static readonly ManualResetEventSlim ready = new ManualResetEventSlim();
    static int data;

    static void Main()
    {
        var reader = new Thread(() =>
        {
            ready.Wait();
            Debug.Assert(data == 42, "what was written before the event was set");
        });
        reader.Start();
        data = 42;
        ready.Set();
        reader.Join();
    }
}
