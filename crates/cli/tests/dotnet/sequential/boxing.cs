using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    enum E { A, B }
    struct S {
        public int X;
    }
    static void Obj(object o) => T.W(o.GetType().Name + ":" + o);
    static void Main() {
        Obj(1);
        Obj(2L);
        Obj('c');
        Obj(true);
        Obj((byte)3);
        Obj(E.B);
        Obj("s");
        Obj(5u);
        Obj((short)-4);
        object a = 1, b = 1;
        T.W(a == b);
        T.W(a.Equals(b));
        T.W(object.Equals(a, b));
        T.W(ReferenceEquals(a, a));
        int i = (int)a;
        a = i + 1;
        T.W((int)a + (int)b);
        try {
            long l = (long)a;
        } catch (InvalidCastException) {
            T.W("unbox exact");
        }
        T.W(Convert.ToInt64(a));
        object e = E.B;
        T.W((int)e);
        int? n = 5;
        object bn = n;
        T.W(bn.GetType().Name);
        int? n2 = (int?)bn;
        T.W(n2 == 5);
        n = null;
        bn = n;
        T.W(bn == null);
        int? n3 = (int?)bn;
        T.W(n3.HasValue);
        var al = new ArrayList { 1, "two", 3 };
        foreach (var x in al) T.W(x.ToString());
        IComparable c = 5;
        T.W(c.CompareTo(3));
        IFormattable f = 7;
        T.W(f.ToString("D2", null));
        var ht = new Hashtable { ["k"] = 1 };
        T.W((int)ht["k"]);
        object s = new S { X = 4 };
        T.W(((S)s).X);
        ValueType vt = 3;
        T.W(vt.ToString());
        T.W(1.Equals(1L));
        T.W(1L.Equals(1));
        T.W(new object().Equals(null));
    }
}
