// expect: sc violated unhandled-exception
using System;

class Broken {
    public static int Value = int.Parse("none".Substring(5));
}

class StaticInitialThrows {
    static void Main() {
        int ignored = Broken.Value;
    }
}
