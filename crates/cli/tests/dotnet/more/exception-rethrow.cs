// expect: sc verified
using System;
using System.Diagnostics;

class Rethrow {
    static int cleaned;

    static void Inner() {
        try {
            throw new ApplicationException("inner");
        } catch (Exception e) {
            cleaned++;
            throw new InvalidOperationException("outer", e);
        } finally {
            cleaned++;
        }
    }

    static void Main() {
        try {
            try {
                Inner();
            } catch {
                cleaned++;
                throw;
            }
        } catch (InvalidOperationException e) {
            Debug.Assert(e.InnerException.Message == "inner" && e.Message == "outer" && cleaned == 3);
        }
    }
}
