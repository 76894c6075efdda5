// Double-checked locking as it should be: the reference is volatile, so its store is a release and its load an
// acquire.
//
// expect: sc verified
// expect: tso verified
using System.Diagnostics;
using System.Threading;

class Data
{
    public int Value;

    public Data()
    {
        Value = 42;
    }
}

class DoubleChecked
{
    static volatile Data instance;
    static readonly object gate = new object();

    static Data Get()
    {
        if (instance == null)
        {
            lock (gate)
            {
                if (instance == null)
                    instance = new Data();
            }
        }
        return instance;
    }

    static void Use()
    {
        Debug.Assert(Get().Value == 42, "the data are initialised");
    }

    static void Main()
    {
        var other = new Thread(Use);
        other.Start();
        Use();
        other.Join();
    }
}
