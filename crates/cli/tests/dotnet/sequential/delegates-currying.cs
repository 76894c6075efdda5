using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
delegate int Op(int a, int b);
class C {
    public int K;
    public int Mul(int a, int b) {
        return a * b * K;
    }
    public static int Sub(int a, int b) {
        return a - b;
    }
}
class Program {
    static Func<A, C> Compose<A, B, C>(Func<A, B> f, Func<B, C> g) {
        return a => g(f(a));
    }
    static Func<T1, Func<T2, R>> Curry<T1, T2, R>(Func<T1, T2, R> f) {
        return a => b => f(a, b);
    }
    static int Apply(Op o, int a, int b) {
        return o(a, b);
    }
    static void Main() {
        var c = new C { K = 2 };
        Op m = c.Mul, s = C.Sub;
        T.W(Apply(m, 3, 4));
        T.W(Apply(s, 3, 4));
        c.K = 3;
        T.W(m(1, 1));
        T.W(Compose((int x) => x + 1, x => "v" + x)(4));
        T.W(Curry((int a, int b) => a * 10 + b)(1)(2));
        Op both = m + s;
        T.W(both(5, 2));
        both -= s;
        T.W(both(5, 2));
        T.W(both.Target == c);
        Func<int, bool> even = x => x % 2 == 0;
        T.W(new[] { 1, 2, 3, 4 }.Where(even).Count());
        var acts = new List<Action>();
        int n = 0;
        for (int i = 0; i < 3; i++) acts.Add(() => n += i);
        foreach (var a in acts) a();
        T.W(n);
        Func<Func<int, int>, int, int> twice = (f, x) => f(f(x));
        T.W(twice(x => x * x, 3));
        Lazy<int> lz = new Lazy<int>(() => { T.W("made"); return 7; });
        T.W(lz.Value + lz.Value);
    }
}
