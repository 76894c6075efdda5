// expect: sc verified
// expect: dotnet violated assertion
// expect: tso violated assertion
using System.Diagnostics;
using System.Threading;

class Bakery {
    static volatile bool choosing0, choosing1;
    static volatile int number0, number1;
    static int count;

    static void First() {
        choosing0 = true;
        number0 = number1 + 1;
        choosing0 = false;
        while (choosing1)
            Thread.Yield();
        while (number1 != 0 && number1 < number0)
            Thread.Yield();
        count++;
        number0 = 0;
    }

    static void Second() {
        choosing1 = true;
        number1 = number0 + 1;
        choosing1 = false;
        while (choosing0)
            Thread.Yield();
        while (number0 != 0 && number0 <= number1)
            Thread.Yield();
        count++;
        number1 = 0;
    }

    static void Main() {
        var other = new Thread(Second);
        other.Start();
        First();
        other.Join();
        Debug.Assert(count == 2);
    }
}
