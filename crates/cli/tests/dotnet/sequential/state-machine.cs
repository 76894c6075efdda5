using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
enum S { Idle, Run, Stop }
class M {
    S s;
    readonly Dictionary<Tuple<S, string>, S> t = new Dictionary<Tuple<S, string>, S> {
        { Tuple.Create(S.Idle, "go"), S.Run }, { Tuple.Create(S.Run, "halt"), S.Stop }
    };
    public event Action<S, S> Moved;
    public bool Fire(string e) {
        S n;
        if (!t.TryGetValue(Tuple.Create(s, e), out n)) return false;
        var o = s;
        s = n;
        if (Moved != null) Moved(o, n);
        return true;
    }
}
class Program {
    static void Main() {
        var m = new M();
        m.Moved += (a, b) => T.W(a + ">" + b);
        T.W(m.Fire("halt"));
        T.W(m.Fire("go"));
        T.W(m.Fire("halt"));
    }
}
