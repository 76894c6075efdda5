// expect: sc violated unhandled-exception
using System;
using System.Threading;
class Program {
    static Action changed = () => { };
    static void Main() {
        var t = new Thread(() => changed = null);
        t.Start();
        if (changed != null) changed();
        t.Join();
    }
}
