// expect: sc verified
// expect: dotnet verified
// What was written before Set is there after Wait, also when the event was used before.
using System.Diagnostics;
using System.Threading;

class SlimResetData {
    static readonly ManualResetEventSlim go = new ManualResetEventSlim(), back = new ManualResetEventSlim();
    static int data;

    static void Main() {
        var other = new Thread(() => {
            for (int i = 0; i < 2; i++) {
                go.Wait();
                go.Reset();
                data++;
                back.Set();
            }
        });
        other.Start();
        for (int i = 1; i <= 2; i++) {
            go.Set();
            back.Wait();
            back.Reset();
            Debug.Assert(data == i);
        }
        other.Join();
    }
}
