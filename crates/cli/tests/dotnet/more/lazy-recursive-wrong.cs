// expect: sc violated unhandled-exception
using System;

class LazyRecursive {
    static Lazy<int> value;

    static void Main() {
        value = new Lazy<int>(() => value.Value + 1);
        int ignored = value.Value;
    }
}
