// expect: sc verified
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

class Channel<T> {
    readonly Queue<T> items = new Queue<T>();
    readonly SemaphoreSlim available = new SemaphoreSlim(0);

    public void Write(T item) {
        lock (items)
            items.Enqueue(item);
        available.Release();
    }

    public async Task<T> Read() {
        await available.WaitAsync();
        lock (items)
            return items.Dequeue();
    }
}

class ChannelProgram {
    static void Main() {
        var channel = new Channel<int>();
        var writer = new Thread(() => { channel.Write(1); channel.Write(2); });
        writer.Start();
        int first = channel.Read().Result, second = channel.Read().Result;
        writer.Join();
        Debug.Assert(first == 1 && second == 2);
    }
}
