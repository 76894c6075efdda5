using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static async Task<int> A(int n) {
        if (n == 0) return 0;
        return n + await A(n - 1);
    }
    static async Task<string> Seq() {
        var s = "";
        foreach (var x in new[] { 1, 2, 3 }) {
            s += x;
            await Task.FromResult(0);
        }
        return s;
    }
    static async Task Thrower(bool t) {
        await Task.FromResult(1);
        if (t) throw new ArgumentException("bad");
    }
    static async Task<string> Outer() {
        try {
            await Thrower(false);
            await Thrower(true);
            return "no";
        } catch (ArgumentException e) {
            return e.Message;
        }
    }
    static async Task<int> Fin() {
        int r = 0;
        try {
            r = await A(2);
            return r;
        } finally {
            T.W("fin " + r);
        }
    }
    static void Main() {
        T.W(A(4).Result);
        T.W(Seq().Result);
        T.W(Outer().Result);
        T.W(Fin().Result);
        var t = Thrower(true);
        T.W(t.IsFaulted);
        T.W(t.Exception.InnerException.Message);
        Func<int, Task<int>> f = async x => {
            await Task.CompletedTask;
            return x + 1;
        };
        T.W(f(4).Result);
        T.W(Task.WhenAll(f(1), f(2)).Result.Sum());
        var tcs = new TaskCompletionSource<int>();
        var w = tcs.Task.ContinueWith(p => p.Result * 2, TaskContinuationOptions.ExecuteSynchronously);
        tcs.SetResult(21);
        T.W(w.Result);
        T.W(Task.FromException<int>(new Exception("e")).Exception.InnerException.Message);
        T.W(Task.FromCanceled(new CancellationToken(true)).IsCanceled);
    }
}
