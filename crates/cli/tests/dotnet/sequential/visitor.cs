using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
interface IV<R> {
    R Num(int n);
    R Bin(char op, E l, E r);
}
abstract class E {
    public abstract R Accept<R>(IV<R> v);
}
class N : E {
    int n;
    public N(int n) {
        this.n = n;
    }
    public override R Accept<R>(IV<R> v) {
        return v.Num(n);
    }
}
class B : E {
    char o;
    E l, r;
    public B(char o, E l, E r) {
        this.o = o;
        this.l = l;
        this.r = r;
    }
    public override R Accept<R>(IV<R> v) {
        return v.Bin(o, l, r);
    }
}
class Ev : IV<int> {
    public int Num(int n) {
        return n;
    }
    public int Bin(char o, E l, E r) {
        int a = l.Accept(this), b = r.Accept(this);
        switch (o) {
            case '+': return a + b;
            case '*': return a * b;
            default: throw new NotSupportedException(o.ToString());
        }
    }
}
class Pr : IV<string> {
    public string Num(int n) {
        return n.ToString();
    }
    public string Bin(char o, E l, E r) {
        return "(" + l.Accept(this) + o + r.Accept(this) + ")";
    }
}
class Program {
    static void Main() {
        E e = new B('+', new N(1), new B('*', new N(2), new N(3)));
        T.W(e.Accept(new Ev()));
        T.W(e.Accept(new Pr()));
        try {
            new B('-', e, e).Accept(new Ev());
        } catch (NotSupportedException x) {
            T.W(x.Message);
        }
    }
}
