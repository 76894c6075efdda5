using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
struct V {
    public int X, Y;
    public V(int x, int y) {
        X = x;
        Y = y;
    }
    public void Flip() {
        int t = X;
        X = Y;
        Y = t;
    }
    public V With(int x) {
        var c = this;
        c.X = x;
        return c;
    }
    public int Len2 => X * X + Y * Y;
    public override string ToString() => $"<{X},{Y}>";
}
struct Line {
    public V A, B;
}
interface IInc { void Inc(); int N { get; } }
struct Inc : IInc {
    int n;
    void IInc.Inc() {
        n++;
    }
    public int N => n;
}
class Holder {
    public readonly V R = new V(1, 2);
    public V W = new V(3, 4);
    public V P { get; set; }
}
class Program {
    static void Change(V v) {
        v.X = 99;
    }
    static void ChangeRef(ref V v) {
        v.X = 99;
    }
    static int ReadIn(in V v) => v.X + v.Y;
    static void Twice<T>(ref T t) where T : IInc {
        t.Inc();
        t.Inc();
    }
    static void Main() {
        var v = new V(1, 2);
        Change(v);
        T.W(v);
        ChangeRef(ref v);
        T.W(v);
        v.Flip();
        T.W(v);
        T.W(ReadIn(v));
        T.W(v.With(5));
        T.W(v.Len2);
        var l = new Line();
        l.A.X = 3;
        l.B = l.A;
        l.B.X++;
        T.W(l.A.X + " " + l.B.X);
        var h = new Holder();
        h.R.Flip();
        T.W(h.R);
        h.W.Flip();
        T.W(h.W);
        h.P = v;
        T.W(h.P.X);
        IInc boxed = new Inc();
        boxed.Inc();
        boxed.Inc();
        T.W(boxed.N);
        var u = new Inc();
        Twice(ref u);
        T.W(u.N);
        ((IInc)u).Inc();
        T.W(u.N);
        var arr = new V[3];
        arr[1].X = 5;
        arr[2] = arr[1];
        arr[2].Y = 6;
        T.W(arr[1] + "" + arr[2]);
        object o = v;
        var w = (V)o;
        w.X = 0;
        T.W(o.ToString() + w);
        T.W(o.Equals(v));
        T.W(new V(1, 2).Equals(new V(1, 2)));
        var list = new List<V> { v };
        var c = list[0];
        c.X = -1;
        T.W(list[0].X == c.X);
        V? n = null;
        T.W(n.HasValue);
        n = v;
        T.W(n.Value.X);
        T.W((n?.X ?? -5));
    }
}
