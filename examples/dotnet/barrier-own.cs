// The algorithm of the class library's Barrier, written anew: who comes last resets the event of the next
// phase, and then sets that of this one. Each of the symbols is a mistake (mcs -d:NO_RESET).
//
// expect: sc verified
// states: sc verified
using System.Diagnostics;
using System.Threading;

class OwnBarrier
{
    // How many there are, how many have come (from bit 16 on), and whether the phase is odd (bit 31).
    int state;
    long phase;
    readonly ManualResetEventSlim even = new ManualResetEventSlim(), odd = new ManualResetEventSlim();

    public OwnBarrier(int participants)
    {
        state = participants;
    }

    public void SignalAndWait()
    {
        bool sense;
        while (true)
        {
            int seen = Volatile.Read(ref state);
            int total = seen & 0x7fff, current = seen >> 16 & 0x7fff;
            sense = seen >= 0;
            if (current == 0)
                Debug.Assert(sense == (Volatile.Read(ref phase) % 2 == 0), "the phase before is over");
            if (current + 1 == total)
            {
                if (Change(seen, 0, total, !sense))
                {
                    Finish(sense);
                    return;
                }
            }
            else if (Change(seen, current + 1, total, sense))
            {
                break;
            }
        }
#if !NO_WAIT
        (sense ? even : odd).Wait();
#endif
    }

    bool Change(int seen, int current, int total, bool sense)
    {
        int next = total | current << 16 | (sense ? 0 : int.MinValue);
#if BLIND_WRITE
        Volatile.Write(ref state, next);
        return true;
#else
        return Interlocked.CompareExchange(ref state, next, seen) == seen;
#endif
    }

    void Finish(bool sense)
    {
        ManualResetEventSlim own = sense ? even : odd, other = sense ? odd : even;
#if !LATE_PHASE
        Volatile.Write(ref phase, phase + 1);
#endif
#if SET_FIRST
        own.Set();
        other.Reset();
#elif NO_RESET
        own.Set();
#else
        other.Reset();
        own.Set();
#endif
#if LATE_PHASE
        Volatile.Write(ref phase, phase + 1);
#endif
    }
}

class Program
{
#if TWO_ROUNDS
    const int Rounds = 2;
#else
    const int Rounds = 3;
#endif
    const int Threads = 2;
    static readonly OwnBarrier barrier = new OwnBarrier(Threads);
    static int arrived;

    static void Work()
    {
        for (int round = 1; round <= Rounds; round++)
        {
            Interlocked.Increment(ref arrived);
            barrier.SignalAndWait();
            Debug.Assert(arrived >= round * Threads, "nobody leaves before all have come");
        }
    }

    static void Main()
    {
        var other = new Thread(Work);
        other.Start();
        Work();
        other.Join();
    }
}
