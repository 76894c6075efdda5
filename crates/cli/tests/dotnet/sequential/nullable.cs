using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int? Div(int a, int b) => b == 0 ? (int?)null : a / b;
    struct S {
        public int V;
    }
    class N {
        public N Next;
        public string Name;
        public int[] Arr;
    }
    static void Main() {
        int? a = 3, b = null;
        T.W((a + b).HasValue);
        T.W((a * 2).Value);
        T.W(a > b);
        T.W(a == b);
        T.W(b == null);
        T.W(a ?? -1);
        T.W(b ?? -1);
        T.W(b.GetValueOrDefault());
        T.W(b.GetValueOrDefault(9));
        T.W(Div(6, 2).ToString());
        T.W(Div(6, 0).ToString() == "");
        try {
            T.W(b.Value);
        } catch (InvalidOperationException) {
            T.W("no value");
        }
        bool? t = true, u = null;
        T.W((t & u) == null);
        T.W((t | u) == true);
        N n = new N { Name = "x" };
        T.W(n?.Next?.Name ?? "none");
        T.W(n?.Arr?[0] == null);
        n.Next = new N { Arr = new[] { 4 } };
        T.W(n.Next.Arr?[0] ?? 0);
        T.W(n.Next.Name?.Length.ToString() ?? "nolen");
        S? s = new S { V = 4 };
        T.W(s?.V ?? 0);
        a++;
        T.W(a.Value);
        a = null;
        a++;
        T.W(a.HasValue);
        T.W(Nullable.Compare<int>(1, 2));
        T.W(typeof(int?).Name);
        var l = new List<int?> { 1, null, 3 };
        T.W(l.Sum().Value);
        T.W(l.Count(x => x == null));
        string st = null;
        st = st ?? "dflt";
        T.W(st);
        int? c = a.HasValue ? a : 5;
        T.W(c.Value);
        T.W(c.Equals(5));
        T.W(c.GetHashCode());
    }
}
