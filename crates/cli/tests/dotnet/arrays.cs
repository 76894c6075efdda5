// Arrays by the class library's own code, which gets at elements by their addresses.
//
// expect: sc verified
using System;
using System.Diagnostics;

class Arrays
{
    static void Main()
    {
        int[] numbers = { 4, 2, 7 };
        Array.Sort(numbers);
        Debug.Assert(numbers[0] == 2 && numbers[1] == 4 && numbers[2] == 7);
        Array.Reverse(numbers);
        Debug.Assert(numbers[0] == 7 && numbers[2] == 2);
        Debug.Assert(Array.IndexOf(numbers, 4) == 1);
        long[] wide = { 1L << 40, 3, 5 };
        Array.Reverse(wide);
        Debug.Assert(wide[0] == 5 && wide[2] == 1L << 40);
    }
}
