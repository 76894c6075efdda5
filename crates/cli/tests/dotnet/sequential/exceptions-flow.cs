using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int A() {
        try {
            return 1;
        } finally {
            T.W("fin");
        }
    }
    static int B() {
        int x = 1;
        try {
            return x;
        } finally {
            x = 2;
        }
    }
    static int C() {
        for (int i = 0; ; i++) {
            try {
                if (i == 1) continue;
                if (i == 3) break;
                T.W("i" + i);
            } finally {
                T.W("f" + i);
            }
        }
        return 7;
    }
    static string D() {
        try {
            try {
                throw new Exception("1");
            } finally {
                throw new Exception("2");
            }
        } catch (Exception e) {
            return e.Message;
        }
    }
    static void E(int n) {
        try {
            if (n == 0) throw new Exception("deep");
            E(n - 1);
        } finally {
            T.W("e" + n);
        }
    }
    static IEnumerable<int> G() {
        try {
            yield return 1;
            throw new Exception("it");
        } finally {
            T.W("gfin");
        }
    }
    static int H() {
        try {
            throw new ApplicationException("x");
        } catch (ApplicationException e) when (e.Message == "y") {
            return 1;
        } catch (ApplicationException e) when (e.Message.Length == 1) {
            return 2;
        } catch {
            return 3;
        }
    }
    static int Inner() {
        try {
            Throw();
            return 0;
        } catch (Exception e) when (F(e)) {
            T.W("handler");
            return 1;
        }
    }
    static bool F(Exception e) {
        T.W("filter");
        return true;
    }
    static void Throw() {
        try {
            throw new Exception();
        } finally {
            T.W("inner finally");
        }
    }
    static void Main() {
        T.W(A());
        T.W(B());
        T.W(C());
        T.W(D());
        try {
            E(2);
        } catch (Exception e) {
            T.W(e.Message);
        }
        try {
            foreach (var x in G()) T.W(x);
        } catch (Exception e) {
            T.W(e.Message);
        }
        T.W(H());
        int r = 0;
        try {
            r = 1;
            goto end;
        } finally {
            r += 10;
        }
        end: T.W(r);
        try {
            try {
                throw new ArgumentNullException("p");
            } catch (ArgumentException e) {
                T.W(e.GetType().Name);
                throw new InvalidOperationException("wrapped", e);
            }
        } catch (InvalidOperationException e) {
            T.W(e.InnerException is ArgumentNullException);
        }
        var agg = new AggregateException(new Exception("a"), new AggregateException(new Exception("b")));
        T.W(agg.Flatten().InnerExceptions.Count);
        lock (agg) {
            try {
                throw new Exception();
            } catch {
                T.W("in lock");
            }
        }
    }
}
