// expect: sc verified
// expect: dotnet verified
using System; using System.Diagnostics; using System.Threading;
class Program {
    class Service { public int State = 5; }
    static Service service;
    static Service Get() { return LazyInitializer.EnsureInitialized(ref service, () => new Service()); }
    static void Main() {
        Service a = null;
        var t = new Thread(() => { a = Get(); Debug.Assert(a.State == 5); }); t.Start();
        var b = Get();
        Debug.Assert(b.State == 5);
        t.Join();
        Debug.Assert(a == b);
    }
}
