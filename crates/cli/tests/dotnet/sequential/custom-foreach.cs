using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Range {
    readonly int n;
    public Range(int n) {
        this.n = n;
    }
    public E GetEnumerator() => new E(n);
    public struct E {
        int i;
        readonly int n;
        public E(int n) {
            this.n = n;
            i = -1;
        }
        public int Current => i;
        public bool MoveNext() => ++i < n;
    }
}
class Ring<T> : IReadOnlyList<T> {
    readonly T[] a;
    int start, count;
    public Ring(int n) {
        a = new T[n];
    }
    public void Add(T x) {
        a[(start + count) % a.Length] = x;
        if (count < a.Length) count++;
        else start = (start + 1) % a.Length;
    }
    public T this[int i] => i < count ? a[(start + i) % a.Length] : throw new IndexOutOfRangeException();
    public int Count => count;
    public IEnumerator<T> GetEnumerator() {
        for (int i = 0; i < count; i++) yield return this[i];
    }
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
class Program {
    static void Main() {
        int s = 0;
        foreach (var x in new Range(5)) s += x;
        T.W(s);
        var r = new Ring<int>(3);
        for (int i = 0; i < 5; i++) r.Add(i);
        T.W(string.Join(",", r));
        T.W(r[0]);
        T.W(r.Count);
        try {
            T.W(r[3]);
        } catch (IndexOutOfRangeException) {
            T.W("oob");
        }
        IEnumerable ie = r;
        int c = 0;
        foreach (object o in ie) c += (int)o;
        T.W(c);
        T.W(r.Contains(4));
        T.W(r.Select((x, i) => x * i).Sum());
        var col = new System.Collections.ObjectModel.Collection<int> { 1, 2 };
        T.W(col.Count);
        var ro = new System.Collections.ObjectModel.ReadOnlyCollection<int>(new[] { 1, 2, 3 });
        T.W(ro[1]);
        foreach (var ch in "abc") T.W(ch);
    }
}
