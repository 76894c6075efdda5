// expect: sc verified
using System.Diagnostics; using System.Threading;
class Program {
    static readonly CountdownEvent done = new CountdownEvent(2); static int a, b;
    static void Main() {
        new Thread(() => { a = 1; done.Signal(); }).Start(); new Thread(() => { b = 1; done.Signal(); }).Start();
        done.Wait(); Debug.Assert(a + b == 2);
    }
}
