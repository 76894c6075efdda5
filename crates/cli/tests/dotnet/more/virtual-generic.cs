// expect: sc verified
using System.Diagnostics;

abstract class Visitor<T> {
    public abstract T Visit<U>(U x);
    public virtual T Twice<U>(U x) { Visit(x); return Visit(x); }
}
class Counter : Visitor<int> {
    int n;
    public override int Visit<U>(U x) { return ++n; }
}
class Louder : Counter {
    public override int Visit<U>(U x) { return 10 * base.Visit(x); }
}

class VirtualGeneric {
    static void Main() {
        Visitor<int> a = new Counter(), b = new Louder();
        Debug.Assert(a.Visit("x") == 1 && a.Twice(3) == 3 && b.Twice('c') == 20);
    }
}
