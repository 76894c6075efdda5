// expect: sc violated unhandled-exception
using System.Threading;

class CountdownAddLate {
    static void Main() {
        var left = new CountdownEvent(1);
        var other = new Thread(() => left.Signal());
        other.Start();
        left.AddCount();
        left.Signal();
        left.Wait();
    }
}
