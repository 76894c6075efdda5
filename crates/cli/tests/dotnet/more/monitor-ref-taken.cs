// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class MonitorRefTaken {
    static readonly object gate = new object();
    static int count;

    static void Add(bool fail) {
        bool taken = false;
        try {
            Monitor.Enter(gate, ref taken);
            if (fail)
                throw new InvalidOperationException();
            count++;
        } catch (InvalidOperationException) {
        } finally {
            if (taken)
                Monitor.Exit(gate);
        }
    }

    static void Main() {
        var other = new Thread(() => Add(true));
        other.Start();
        Add(false);
        other.Join();
        Debug.Assert(count == 1 && !Monitor.IsEntered(gate));
    }
}
