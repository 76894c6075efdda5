// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading.Tasks;
class Program {
    static void Main() {
        var t = Task.Run(() => { throw new InvalidOperationException("x"); });
        try {
            t.Wait();
            Debug.Assert(false);
        } catch (AggregateException e) {
            Debug.Assert(e.InnerException is InvalidOperationException);
        }
    }
}
