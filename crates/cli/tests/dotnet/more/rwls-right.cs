// expect: sc verified
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int a, b;
    static ReaderWriterLockSlim l = new ReaderWriterLockSlim();
    static void Main() {
        var t = new Thread(() => { l.EnterWriteLock(); try { a++; b++; } finally { l.ExitWriteLock(); } });
        t.Start();
        l.EnterReadLock();
        Debug.Assert(a == b);
        l.ExitReadLock();
        t.Join();
    }
}
