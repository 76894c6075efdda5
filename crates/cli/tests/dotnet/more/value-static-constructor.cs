// expect: sc verified
// A method of a value type is a use of it, however the value was made.
using System.Diagnostics;

struct Value {
    static int made;
    static Value() { made = 7; }
    int own;
    public int Get() { return made + own; }
}

class ValueStaticConstructor {
    static void Main() {
        Debug.Assert(default(Value).Get() == 7);
    }
}
