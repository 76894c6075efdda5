// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading.Tasks;

class WhenAllThrows {
    static async Task<int> Run() {
        var good = Task.Run(() => 1);
        var bad = Task.Run(() => { throw new InvalidOperationException(); });
        try {
            await Task.WhenAll(good, bad);
            return 0;
        } catch (InvalidOperationException) {
            return bad.IsFaulted && good.Result == 1 ? 1 : 2;
        }
    }

    static void Main() {
        Debug.Assert(Run().Result == 1);
    }
}
