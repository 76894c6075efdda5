// expect: sc verified
// expect: dotnet verified
// expect: dotnet-ecma violated
using System.Diagnostics; using System.Threading;
class Config { public int Port; public Config() { Port = 80; } }
class Program {
    static Config instance; static readonly object gate = new object();
    static Config Get() {
        if (instance == null) { lock (gate) { if (instance == null) instance = new Config(); } }
        return instance;
    }
    static void Main() {
        var t = new Thread(() => { Debug.Assert(Get().Port == 80); }); t.Start();
        Debug.Assert(Get().Port == 80);
        t.Join();
    }
}
