// expect: sc verified
using System.Collections.Generic;
using System.Diagnostics;

class HashCollide {
    static void Main() {
        var numbers = new Dictionary<object, int>();
        object a = new object(), b = new object();
        numbers[a] = 1;
        numbers[b] = 2;
        Debug.Assert(numbers[a] == 1 && numbers[b] == 2 && a.GetHashCode() == a.GetHashCode());
    }
}
