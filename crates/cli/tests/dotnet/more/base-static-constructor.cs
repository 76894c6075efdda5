// expect: sc verified
// The constructor of a base class is a use of the base class, too (ECMA-335 I.8.9.5).
using System.Diagnostics;

class Base {
    public static int made;
    static Base() { made = 7; }
    public int Seen;
    public Base() { Seen = made; }
}

class Derived : Base { }

class BaseStaticConstructor {
    static void Main() {
        Debug.Assert(new Derived().Seen == 7);
    }
}
