// What the language has: classes, interfaces, generics, exceptions, closures, iterators, arithmetic.
//
// expect: sc verified
using System; using System.Diagnostics; using System.Threading; using System.Collections.Generic;
interface IShape { int Area(); }
abstract class Base { public virtual int V() { return 1; } public abstract int W(); }
class D1 : Base, IShape { public override int V() { return base.V() + 10; } public override int W() { return 5; } public int Area() { return 7; } }
class D2 : D1 { public new virtual int V() { return 99; } public override int W() { return 6; } int IShape_() { return 0; } }
struct P : IShape { public int X; public long Y; public P(int x, long y) { X = x; Y = y; } public int Area() { return X + (int)Y; } public void Inc() { X++; } }
class G<T> { T v; public static int Count; public G(T t) { v = t; Count++; } public T Get() { return v; } }
enum E { A, B = 5 }
class MyEx : Exception { public int Code; public MyEx(int c) : base("mine") { Code = c; } }
class Lazy1 { public static int Made; static Lazy1() { Made = 17; } public static int Get() { return Made; } }
class Program {
  static int trace;
  static int F(int n) { try { if (n == 1) throw new MyEx(3); if (n == 2) return 20; trace += 1; } catch (MyEx e) { trace += 100 * e.Code; return 30; } finally { trace += 10; } return 40; }
  static IEnumerable<int> Gen(int n) { for (int i = 0; i < n; i++) yield return i * i; }
  static void Swap<T>(ref T a, ref T b) { T t = a; a = b; b = t; }
  static int Fact(int n) { return n <= 1 ? 1 : n * Fact(n - 1); }
  static void Main(string[] args) {
    Debug.Assert(args.Length == 0);
    Base b = new D2(); Debug.Assert(b.V() == 11); Debug.Assert(b.W() == 6); Debug.Assert(((D2)b).V() == 99);
    IShape s = (IShape)b; Debug.Assert(s.Area() == 7); s = new P(3, 4); Debug.Assert(s.Area() == 7);
    P p = new P(1, 2); p.Inc(); P q = p; q.Inc(); Debug.Assert(p.X == 2 && q.X == 3);
    object o = p; P r = (P)o; Debug.Assert(r.X == 2 && r.Y == 2);
    Debug.Assert(o is P && !(o is Base)); Debug.Assert(o as Base == null);
    var g = new G<string>("x"); var h = new G<int>(5); Debug.Assert(G<string>.Count == 1 && h.Get() == 5 && g.Get() == "x");
    Debug.Assert(F(0) == 40); Debug.Assert(trace == 11); Debug.Assert(F(1) == 30); Debug.Assert(trace == 321); Debug.Assert(F(2) == 20 && trace == 331);
    int sum = 0; foreach (int i in Gen(4)) sum += i; Debug.Assert(sum == 14);
    var list = new List<int>(); list.Add(4); list.Add(5); foreach (var i in list) sum += i; Debug.Assert(sum == 23, "list");
    int a1 = 1, a2 = 2; Swap(ref a1, ref a2); Debug.Assert(a1 == 2);
    Func<int, int> f = x => x + sum; Debug.Assert(f(1) == 24); Action act = () => sum++; act(); Debug.Assert(sum == 24);
    int[] arr = { 1, 2, 3, 4 }; Debug.Assert(arr[2] == 3 && arr.Length == 4);
    try { arr[4] = 1; Debug.Assert(false); } catch (IndexOutOfRangeException) { sum = 1; } Debug.Assert(sum == 1);
    try { int z = 0; sum = 1 / z; } catch (DivideByZeroException) { sum = 2; } Debug.Assert(sum == 2);
    try { checked { int big = int.MaxValue; big++; } } catch (OverflowException) { sum = 3; } Debug.Assert(sum == 3);
    try { object str = "s"; P pp = (P)str; } catch (InvalidCastException) { sum = 4; } Debug.Assert(sum == 4);
    try { D1 nul = null; nul.Area(); } catch (NullReferenceException) { sum = 5; } Debug.Assert(sum == 5);
    try { try { throw new MyEx(1); } finally { sum = 6; } } catch (Exception e) { Debug.Assert(sum == 6); Debug.Assert(e.Message == "mine"); }
    Debug.Assert(Fact(6) == 720); Debug.Assert(unchecked((byte)300) == 44 && unchecked((sbyte)200) == -56);
    E en = E.B; Debug.Assert((int)en == 5); double dd = 1.5; Debug.Assert((int)(dd * 3) == 4); float ff = 2; Debug.Assert(ff / 4 == 0.5f);
    long l = -7; Debug.Assert(l / 2 == -3 && l % 2 == -1 && (l >> 1) == -4 && (unchecked((uint)(-1)) >> 28) == 15);
    string st = "abc"; Debug.Assert(st.Length == 3 && st[1] == 'b' && st == "abc" && st != "abd");
    Debug.Assert(Lazy1.Get() == 17); switch (st.Length) { case 1: sum = 0; break; case 3: sum = 33; break; } Debug.Assert(sum == 33);
    uint u = 0xffffffff; Debug.Assert(u > 5 && (long)u == 4294967295L); ulong ul = u; Debug.Assert(ul == 4294967295UL);
    var dict = new Dictionary<int, int>(); dict[3] = 4; Debug.Assert(dict[3] == 4);
    Console.WriteLine("sum {0} " + sum, sum);
  } }
