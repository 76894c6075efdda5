// expect: sc verified
// expect: dotnet verified
// `Lazy<T>` without a function makes a `T` by its constructor without parameters, once.
using System;
using System.Diagnostics;
using System.Threading;

class Made {
    static int made;
    public int number;
    public Made() { number = Interlocked.Increment(ref made); }
}

class LazyDefault {
    static readonly Lazy<Made> lazy = new Lazy<Made>();

    static void Main() {
        int seen = 0;
        var other = new Thread(() => { seen = lazy.Value.number; });
        other.Start();
        int own = lazy.Value.number;
        other.Join();
        Debug.Assert(own == 1 && seen == 1 && lazy.IsValueCreated);
    }
}
