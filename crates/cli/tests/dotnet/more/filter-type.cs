// expect: sc verified
using System;
using System.Diagnostics;
using System.Threading;

class FilterType {
    static readonly object gate = new object();

    static int Run(Exception e) {
        try {
            lock (gate)
                throw e;
        } catch (Exception x) when (x is ArgumentException || x is TimeoutException) {
            return 1;
        } catch (Exception) {
            return 2;
        }
    }

    static void Main() {
        Debug.Assert(Run(new ArgumentNullException()) == 1 && Run(new TimeoutException()) == 1);
        Debug.Assert(Run(new InvalidOperationException()) == 2 && !Monitor.IsEntered(gate));
    }
}
