// Lazy<T>, interpreted as it is: the factory runs once, whoever asks first.
//
// expect: sc verified
// expect: tso verified
using System;
using System.Diagnostics;
using System.Threading;

class Data
{
    public static int Made;
    public readonly int Value = 42;

    public Data()
    {
        Made++;
    }
}

class Program
{
    static readonly Lazy<Data> data = new Lazy<Data>(() => new Data());

    static void Use()
    {
        Debug.Assert(data.Value.Value == 42, "the data are initialised");
    }

    static void Main()
    {
        var other = new Thread(Use);
        other.Start();
        Use();
        other.Join();
        Debug.Assert(Data.Made == 1, "they are made once");
    }
}
