// Double-checked locking: whoever sees the object must see it initialised. The reference is published by a
// plain store; nothing but the model keeps the stores of the constructor before it.
//
// expect: sc verified
// expect: tso verified
// expect: dotnet-ecma violated assertion
// expect: dotnet verified
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
    static Data instance;
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
