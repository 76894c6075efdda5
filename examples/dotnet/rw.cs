// A lock for readers and a writer: two readers may be in at once, the writer only alone.
//
// expect: sc verified
// expect: tso verified
// states: dotnet-ecma verified
// long-states: dotnet verified
using System.Diagnostics;
using System.Threading;

class ReadersWriter
{
    int readers;
    bool writing;

    public void EnterRead()
    {
        lock (this)
        {
            while (writing)
                Monitor.Wait(this);
            readers++;
        }
    }

    public void LeaveRead()
    {
        lock (this)
        {
            readers--;
            Monitor.PulseAll(this);
        }
    }

    public void EnterWrite()
    {
        lock (this)
        {
            while (writing || readers > 0)
                Monitor.Wait(this);
            writing = true;
        }
    }

    public void LeaveWrite()
    {
        lock (this)
        {
            writing = false;
            Monitor.PulseAll(this);
        }
    }
}

class Program
{
    static readonly ReadersWriter guard = new ReadersWriter();
    static int first, second;

    static void Reader()
    {
        guard.EnterRead();
        Debug.Assert(first == second, "readers see all or nothing");
        guard.LeaveRead();
    }

    static void Writer()
    {
        guard.EnterWrite();
        first = 1;
        second = 1;
        guard.LeaveWrite();
    }

    static void Main()
    {
        var a = new Thread(Reader);
        var b = new Thread(Reader);
        var c = new Thread(Writer);
        a.Start();
        b.Start();
        c.Start();
        a.Join();
        b.Join();
        c.Join();
    }
}
