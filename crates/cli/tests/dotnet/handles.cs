// What the kernel has: mutexes, recursive, and semaphores with a limit.
//
// expect: sc verified
using System.Diagnostics;
using System.Threading;

class Handles
{
    static readonly Mutex mutex = new Mutex();
    static readonly Semaphore one = new Semaphore(1, 1);
    static int a, b;

    static void Run()
    {
        mutex.WaitOne();
        mutex.WaitOne();
        a++;
        mutex.ReleaseMutex();
        mutex.ReleaseMutex();
        one.WaitOne();
        b++;
        one.Release();
    }

    static void Main()
    {
        var other = new Thread(Run);
        other.Start();
        Run();
        other.Join();
        Debug.Assert(a == 2 && b == 2);
        int wrong = 0;
        try { mutex.ReleaseMutex(); } catch (System.ApplicationException) { wrong++; }
        try { one.Release(); } catch (SemaphoreFullException) { wrong++; }
        Debug.Assert(wrong == 2 && one.WaitOne(0) && !one.WaitOne(0));
    }
}
