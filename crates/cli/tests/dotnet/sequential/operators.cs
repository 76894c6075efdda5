using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
struct Cx : IEquatable<Cx>, IComparable<Cx> {
    public readonly int Re, Im;
    public Cx(int r, int i = 0) {
        Re = r;
        Im = i;
    }
    public static Cx operator +(Cx a, Cx b) => new Cx(a.Re + b.Re, a.Im + b.Im);
    public static Cx operator *(Cx a, Cx b) => new Cx(a.Re * b.Re - a.Im * b.Im, a.Re * b.Im + a.Im * b.Re);
    public static Cx operator -(Cx a) => new Cx(-a.Re, -a.Im);
    public static Cx operator ++(Cx a) => new Cx(a.Re + 1, a.Im);
    public static bool operator ==(Cx a, Cx b) => a.Equals(b);
    public static bool operator !=(Cx a, Cx b) => !a.Equals(b);
    public static bool operator <(Cx a, Cx b) => a.CompareTo(b) < 0;
    public static bool operator >(Cx a, Cx b) => a.CompareTo(b) > 0;
    public static implicit operator Cx(int x) => new Cx(x);
    public static explicit operator int(Cx c) => c.Re;
    public static bool operator true(Cx c) => c.Re != 0;
    public static bool operator false(Cx c) => c.Re == 0;
    public bool Equals(Cx o) => Re == o.Re && Im == o.Im;
    public override bool Equals(object o) => o is Cx c && Equals(c);
    public override int GetHashCode() => Re * 31 ^ Im;
    public int CompareTo(Cx o) => (Re * Re + Im * Im).CompareTo(o.Re * o.Re + o.Im * o.Im);
    public override string ToString() => Re + "+" + Im + "i";
    public int this[int i] => i == 0 ? Re : Im;
}
class Program {
    static void Main() {
        Cx a = new Cx(1, 2), b = 3;
        T.W(a + b);
        T.W(a * a);
        T.W(-a);
        a++;
        T.W(a);
        T.W(a == new Cx(2, 2));
        T.W(a != b);
        T.W(a < b);
        T.W((int)b);
        if (b) T.W("true");
        T.W(a[1]);
        T.W(a + 5);
        a += 1;
        T.W(a);
        var set = new HashSet<Cx> { a, b, new Cx(3) };
        T.W(set.Count);
        var l = new List<Cx> { new Cx(5), new Cx(1), new Cx(0, 3) };
        l.Sort();
        T.W(string.Join(" ", l));
        T.W(l.Max());
    }
}
