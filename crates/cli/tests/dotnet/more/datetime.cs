// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class Times {
    static void Main() {
        var start = DateTime.UtcNow;
        var watch = Stopwatch.StartNew();
        Thread.Sleep(1);
        Debug.Assert((DateTime.UtcNow - start).TotalMilliseconds >= 0 && watch.ElapsedMilliseconds >= 0);
        var day = new DateTime(2020, 2, 28).AddDays(2);
        Debug.Assert(day.Month == 3 && day.Day == 1);
        Debug.Assert(TimeSpan.FromSeconds(90).Minutes == 1 && new TimeSpan(0, 1, 30).TotalSeconds == 90);
    }
}
