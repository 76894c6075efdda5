// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class MonitorTryTimeout {
    static readonly object gate = new object();
    static int count, failed;

    static void Add() {
        if (Monitor.TryEnter(gate, TimeSpan.FromMilliseconds(50))) {
            count++;
            Monitor.Exit(gate);
        } else {
            Interlocked.Increment(ref failed);
        }
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count + failed == 2);
    }
}
