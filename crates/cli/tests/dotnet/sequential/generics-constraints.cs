using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
interface IMonoid<T> { T Zero { get; } T Add(T a, T b); }
struct IntSum : IMonoid<int> {
    public int Zero => 0;
    public int Add(int a, int b) => a + b;
}
struct StrCat : IMonoid<string> {
    public string Zero => "";
    public string Add(string a, string b) => a + b;
}
class Cell<T> where T : class, new() {
    public T Value = new T();
}
class Thing {
    public int N = 7;
}
class Program {
    static T Fold<T, M>(IEnumerable<T> xs) where M : struct, IMonoid<T> {
        var m = default(M);
        T r = m.Zero;
        foreach (var x in xs) r = m.Add(r, x);
        return r;
    }
    static T Make<T>() where T : new() => new T();
    static string NameOf<T>(T x) => typeof(T).Name + "/" + (x == null ? "null" : x.GetType().Name);
    static void Main() {
        T.W(Fold<int, IntSum>(new[] { 1, 2, 3 }));
        T.W(Fold<string, StrCat>(new[] { "a", "b" }));
        T.W(new Cell<Thing>().Value.N);
        T.W(Make<Thing>().N);
        T.W(Make<int>());
        T.W(NameOf<object>("x"));
        T.W(NameOf<string>(null));
        T.W(NameOf(3.5));
        T.W(default(KeyValuePair<int, string>).ToString());
        T.W(typeof(List<int>).Name);
        T.W(typeof(Dictionary<string, int[]>).ToString());
    }
}
