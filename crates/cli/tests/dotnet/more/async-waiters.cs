// expect: sc verified
// A lock for asynchronous methods: who comes first has it, others queue.
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;

class AsyncGate {
    readonly Queue<TaskCompletionSource<bool>> waiters = new Queue<TaskCompletionSource<bool>>();
    bool taken;

    public Task Enter() {
        lock (waiters) {
            if (!taken) {
                taken = true;
                return Task.CompletedTask;
            }
            var waiter = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            waiters.Enqueue(waiter);
            return waiter.Task;
        }
    }

    public void Exit() {
        TaskCompletionSource<bool> next = null;
        lock (waiters) {
            if (waiters.Count > 0)
                next = waiters.Dequeue();
            else
                taken = false;
        }
        if (next != null)
            next.SetResult(true);
    }
}

class AsyncWaiters {
    static readonly AsyncGate gate = new AsyncGate();
    static int count;

    static async Task Add() {
        await gate.Enter();
        count++;
        gate.Exit();
    }

    static void Main() {
        var other = Task.Run(Add);
        Add().Wait();
        other.Wait();
        Debug.Assert(count == 2);
    }
}
