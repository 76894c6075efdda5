// expect: sc violated assertion
using System;
using System.Diagnostics;
using System.Threading;

class MonitorTryTimeoutWrong {
    static readonly object gate = new object();
    static int count;

    static void Add() {
        if (Monitor.TryEnter(gate, TimeSpan.FromMilliseconds(50))) {
            count++;
            Monitor.Exit(gate);
        }
    }

    static void Main() {
        var other = new Thread(Add);
        other.Start();
        Add();
        other.Join();
        Debug.Assert(count == 2);
    }
}
