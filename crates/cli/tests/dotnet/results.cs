// What the language does: a hash of a hundred results. The number is what mono computes.
//
// expect: sc verified
using System; using System.Collections.Generic; using System.Diagnostics;
interface IShape { double Area(); int Id { get; } }
struct Sq : IShape { public double s; public double Area() { return s*s; } public int Id { get { return 1; } } }
class Circ : IShape { public double r; public virtual double Area() { return 3*r*r; } public int Id { get { return 2; } } }
class Circ2 : Circ { public override double Area() { return base.Area() + 1; } }
class G<T> where T : IComparable<T> { T[] items = new T[4]; int n; public void Add(T x) { if (n == items.Length) Array.Resize(ref items, n*2); items[n++] = x; } public T Max() { T m = items[0]; for (int i = 1; i < n; i++) if (items[i].CompareTo(m) > 0) m = items[i]; return m; } }
class P {
  static long h = 17;
  static void W(long v) { h = unchecked(h * 31 + v); }
  static int Fib(int n) { return n < 2 ? n : Fib(n-1) + Fib(n-2); }
  static IEnumerable<int> Evens(int n) { try { for (int i = 0; i < n; i += 2) yield return i; } finally { W(77); } }
  static int Try(int k) { try { if (k == 0) throw new InvalidOperationException("zero"); if (k == 1) { int[] a = new int[2]; return a[k+3]; } if (k == 2) { object o = "s"; return (int)o; } if (k == 3) { string s = null; return s.Length; } if (k == 4) return 10 / (k - 4); checked { int x = int.MaxValue; return x + k; } } catch (InvalidOperationException) { return -1; } catch (IndexOutOfRangeException) { return -2; } catch (InvalidCastException) { return -3; } catch (NullReferenceException) { return -4; } catch (DivideByZeroException) { return -5; } catch (OverflowException) when (k == 5) { return -6; } finally { W(100 + k); } }
  static void Swap<T>(ref T a, ref T b) { T t = a; a = b; b = t; }
  enum E { A = 1, B = 5, C }
  struct Pt { public int x, y; public Pt(int a, int b) { x = a; y = b; } public void Inc() { x++; } public override int GetHashCode() { return x * 100 + y; } }
  static Pt Make(Pt p) { p.x += 10; return p; }
  static int Params(params int[] a) { int s = 0; foreach (var v in a) s += v; return s; }
  static int stat = Init(); static int Init() { return 5; }
  static void Out(out int a, int b) { a = b + 1; }
  class Base { public static int made; public Base() { made++; V(); } public virtual void V() { W(1); } }
  class Derived : Base { int f = 3; public override void V() { W(f); } }
  static void Main() {
    W(Fib(12));
    IShape[] ss = { new Sq { s = 2.5 }, new Circ { r = 2 }, new Circ2 { r = 1 } };
    foreach (var s in ss) { W(s.Id); W((int)(s.Area() * 100)); }
    var g = new G<int>(); for (int i = 0; i < 9; i++) g.Add((i * 7) % 10); W(g.Max());
    var gl = new G<long>(); gl.Add(5); gl.Add(1L << 33); W(gl.Max());
    int sum = 0; foreach (var e in Evens(10)) { sum += e; if (e == 6) break; } W(sum);
    for (int k = 0; k < 6; k++) W(Try(k));
    int x = 1, y = 2; Swap(ref x, ref y); W(x * 10 + y);
    Func<int,int> add = z => z + x; x = 100; W(add(5));
    var d = new Dictionary<int,int>(); for (int i = 0; i < 12; i++) d[i * i] = i; W(d[49] + d.Count); int q; W(d.TryGetValue(50, out q) ? 1 : 0);
    var l = new List<int> { 5, 3, 9, 1 }; l.Sort(); for (int i = 0; i < l.Count; i++) W(l[i]); l.RemoveAt(1); l.Insert(0, 8); W(l[0] * 100 + l[1]); W(l.IndexOf(9));
    object boxed = 42; W((int)boxed + 1); W(boxed.Equals(42) ? 1 : 0); W(boxed is string ? 1 : 0); W(boxed is int ? 1 : 0); W(boxed is IComparable ? 1 : 0);
    long big = 1L << 40; W((int)(big >> 38)); W(unchecked((uint)(-1)) / 3); int m7 = -7; W(m7 / 2); W(m7 % 3); int v3 = 300, v2 = 200; W((byte)v3); W((sbyte)v2); uint u3 = 3000000000u; W(unchecked((int)u3)); W(u3 >> 3); W(m7 >> 1); W((long)(ulong)u3); ushort us = 65535; us++; W(us); W((short)(us - 1)); char ch = 'a'; ch++; W(ch);
    double f1 = 3.99; W((int)f1); W((int)-f1); double dd = 1.0 / 3; W((long)(dd * 1000000)); W(double.IsNaN(0.0 / (f1 - f1)) ? 1 : 0); float ff = 0.1f; W((long)(ff * 1e9)); W(Math.Max(3, 9));
    W((int)E.C); E ee = E.B; switch (ee) { case E.A: W(1); break; case E.B: W(2); break; }
    int[][] j = { new[]{1}, new[]{2,3} }; W(j[1][1]);
    int? nn = null; W(nn ?? 9); nn = 4; W(nn.Value + 1); W(nn.HasValue ? 1 : 0);
    try { try { throw new ArgumentException("a"); } finally { W(5); } } catch (Exception e) { W(e is ArgumentException ? 1 : 0); }
    try { try { throw new Exception(); } catch (Exception) { throw new InvalidCastException(); } } catch (InvalidCastException) { W(9); }
    using (var u = new U()) W(1);
    var p = new Pt(1, 2); var p2 = p; p2.x = 9; p.Inc(); W(p.x * 10 + p2.x); W(Make(p).x * 100 + p.x); Pt[] pa = new Pt[2]; pa[1].y = 4; pa[1].Inc(); W(pa[1].x * 10 + pa[1].y); object po = p; W(po.GetHashCode());
    W(Params()); W(Params(1, 2, 3)); W(stat); int o1; Out(out o1, 4); W(o1);
    new Derived(); W(Base.made);
    string s1 = "abc"; W(s1.Length); W(s1[1]); W(s1 == "abc" ? 1 : 0); foreach (char c1 in "xy") W(c1);
    Action<long> act = W; act(3); Func<Func<int,int>, int> ho = fn => fn(2) + fn(3); W(ho(a => a * a));
    int[] arr = { 4, 2, 7 }; Array.Sort(arr); W(arr[0] * 100 + arr[1] * 10 + arr[2]); Array.Reverse(arr); W(arr[0]); W(Array.IndexOf(arr, 4));
    var que = new Queue<int>(); que.Enqueue(1); que.Enqueue(2); W(que.Dequeue() * 10 + que.Count); var hs = new HashSet<int>(); W(hs.Add(3) ? 1 : 0); W(hs.Add(3) ? 1 : 0);
    long ll = 0; for (long i = 0; i < 5; i++) { if (i == 1) continue; ll += i; } W(ll); W(unchecked((int)0x80000000) == int.MinValue ? 1 : 0); W(checked((int)5L)); try { W(checked((byte)v3)); } catch (OverflowException) { W(-8); }
    goto end; end: W(Environment.ProcessorCount > 0 ? 1 : 0);
    Tuple<int,int> t = Tuple.Create(3, 4); W(t.Item1 * 10 + t.Item2); var kv = new KeyValuePair<int,string>(5, "q"); W(kv.Key); W(ReferenceEquals(kv.Value, "q") ? 1 : 0);
    Debug.Assert(h == -8913237908229064754L);
  }
  class U : IDisposable { public void Dispose() { W(-1); } }
}
