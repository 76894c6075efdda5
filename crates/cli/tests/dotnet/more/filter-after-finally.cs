// expect: sc unknown
// message: an exception filter after a finally block
using System;
using System.Diagnostics;

class FilterAfterFinally {
    static int order, filtered, finished;

    static bool Filter() {
        filtered = ++order;
        return true;
    }

    static void Throw() {
        try {
            throw new InvalidOperationException();
        } finally {
            finished = ++order;
        }
    }

    static void Main() {
        try {
            Throw();
        } catch (InvalidOperationException) when (Filter()) {
        }
        Debug.Assert(filtered == 1 && finished == 2);
    }
}
