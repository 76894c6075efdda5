// expect: sc verified
// An initial value of a static field throws: whoever uses the type is told so, every time.
using System;
using System.Diagnostics;

class Broken {
    public static int number = Fail();
    static Broken() { }
    static int Fail() { throw new InvalidOperationException("no"); }
}

class StaticFieldThrows {
    static void Main() {
        int caught = 0;
        for (int i = 0; i < 2; i++) {
            try { caught += Broken.number; }
            catch (TypeInitializationException e) {
                Debug.Assert(e.InnerException is InvalidOperationException);
                caught++;
            }
        }
        Debug.Assert(caught == 2);
    }
}
