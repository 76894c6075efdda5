// A singleton by compare-and-exchange: several may be made, one is used.
//
// expect: sc verified
// expect: tso verified
using System.Diagnostics;
using System.Threading;

class Single
{
    static Single instance;
    public int Value = 7;

    public static Single Get()
    {
        if (instance == null)
            Interlocked.CompareExchange(ref instance, new Single(), null);
        return instance;
    }
}

class Program
{
    static Single seen;

    static void Main()
    {
        var other = new Thread(() => seen = Single.Get());
        other.Start();
        Single own = Single.Get();
        other.Join();
        Debug.Assert(ReferenceEquals(own, seen), "there is one");
        Debug.Assert(own.Value == 7, "it is initialised");
    }
}
