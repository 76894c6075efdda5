using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class R : IDisposable {
    readonly string n;
    readonly bool fail;
    public R(string n, bool fail = false) {
        this.n = n;
        this.fail = fail;
        T.W("+" + n);
    }
    public void Dispose() {
        T.W("-" + n);
        if (fail) throw new InvalidOperationException(n);
    }
}
class Program {
    static IEnumerable<int> Gen() {
        using (new R("gen")) {
            yield return 1;
            yield return 2;
        }
    }
    static void Main() {
        using (var a = new R("a")) using (var b = new R("b")) {
            T.W("body");
        }
        try {
            using (new R("c")) throw new Exception("x");
        } catch (Exception e) {
            T.W(e.Message);
        }
        try {
            using (new R("d", true)) throw new Exception("lost");
        } catch (Exception e) {
            T.W(e.Message);
        }
        foreach (var x in Gen()) {
            T.W(x);
            if (x == 1) break;
        }
        T.W(Gen().Sum());
        R none = null;
        using (none) T.W("null is fine");
    }
}
