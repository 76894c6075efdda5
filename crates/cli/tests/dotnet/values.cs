// What the language and the class library compute, one thread: strings, arrays of several dimensions, events, nullable
// values, enumerations, types, decimals, queries. Every assertion holds with mono, too.
//
// expect: sc verified
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text;

enum Colour { Red, Green = 5, Blue }
class Animal { public override string ToString() { return "animal"; } }
class Dog : Animal { }
struct Named { public int number; public string name; }

class Values
{
    static event Action Rung;
    static int rings;

    static void Strings()
    {
        int n = 3;
        long big = -5000000000;
        Debug.Assert("a" + n == "a3" && ("a" + n).Length == 2);
        Debug.Assert("" + big == "-5000000000" && "" + true + 'c' == "Truec");
        Debug.Assert($"{n}-{"b"}{{}}" == "3-b{}");
        Debug.Assert(string.Format("{1}{0}{1}", n, "x") == "x3x");
        Debug.Assert(string.Concat("a", null, "b") == "ab" && string.Concat(1, 2) == "12");
        Debug.Assert("hello".Substring(1, 3) == "ell" && ("hel" + "lo").Substring(3) == "lo");
        Debug.Assert(string.Join(",", new[] { "a", "b" }) == "a,b" && "a,b".Split(',').Length == 2);
        Debug.Assert("abc".IndexOf("c") == 2 && "abc".StartsWith("ab") && !"abc".EndsWith("b"));
        Debug.Assert("abc".Replace("b", "x") == "axc" && " a ".Trim() == "a" && new string('z', 3) == "zzz");
        var text = new StringBuilder();
        text.Append("a").Append(1).Append('c').Append(n);
        Debug.Assert(text.ToString() == "a1c3" && text.Length == 4);
        var ages = new Dictionary<string, int>();
        ages["k" + n] = 1;
        Debug.Assert(ages["k3"] == 1 && !ages.ContainsKey("k4"));
    }

    static void Shapes()
    {
        var m = new int[2, 3];
        m[1, 2] = 5;
        m[0, 1] += 2;
        Debug.Assert(m[1, 2] == 5 && m[0, 1] == 2 && m[0, 0] == 0);
        Debug.Assert(m.GetLength(0) == 2 && m.GetLength(1) == 3 && m.Length == 6 && m.Rank == 2);
        Debug.Assert(m.GetUpperBound(1) == 2);
        int sum = 0;
        foreach (int x in m) sum += x;
        Debug.Assert(sum == 7);
        int[,] k = { { 1, 2 }, { 3, 4 } };
        Debug.Assert(k[1, 0] == 3);
        var cube = new string[2, 2, 2];
        cube[1, 0, 1] = "c";
        Debug.Assert(cube[1, 0, 1] == "c" && cube[0, 0, 1] == null);
        int caught = 0;
        try { m[2, 0] = 1; } catch (IndexOutOfRangeException) { caught++; }
        try { m[0, 3] = 1; } catch (IndexOutOfRangeException) { caught++; }
        try { m[-1, 0] = 1; } catch (IndexOutOfRangeException) { caught++; }
        Debug.Assert(caught == 3);
        var a = new[] { 3, 1, 2 };
        var b = (int[])a.Clone();
        Array.Sort(b);
        Debug.Assert(a[0] == 3 && b[0] == 1);
    }

    static void Delegates()
    {
        Rung += () => rings++;
        Rung += () => rings += 10;
        Rung();
        Debug.Assert(rings == 11);
        Action last = () => rings = 0;
        Rung += last;
        Rung();
        Debug.Assert(rings == 0);
        Rung -= last;
        Rung();
        Debug.Assert(rings == 11);
        Func<int, int> f = x => x;
        f += x => x + 1;
        Debug.Assert(f(1) == 2 && f.GetInvocationList().Length == 2);
    }

    static void Kinds()
    {
        Animal a = new Dog();
        Debug.Assert(a.GetType() == typeof(Dog) && a.GetType() != typeof(Animal));
        Debug.Assert(a.GetType().Name == "Dog" && a.ToString() == "animal");
        Debug.Assert(new List<int>().GetType() == typeof(List<int>) && typeof(int[]).Name == "Int32[]");
        Debug.Assert(new object().ToString() == "System.Object");
        Colour c = Colour.Green;
        Debug.Assert(c.ToString() == "Green" && ((Colour)7).ToString() == "7" && c.Equals(Colour.Green));
        object boxed = c;
        Debug.Assert((Colour)boxed == Colour.Green && boxed.Equals(Colour.Green) && !boxed.Equals(5));
        int? some = 5, none = null;
        object o = some;
        Debug.Assert(o is int && (int?)o == 5);
        o = none;
        Debug.Assert(o == null && !((int?)o).HasValue);
        Debug.Assert((some ?? 1) == 5 && (none ?? 1) == 1 && some.ToString() == "5");
        var x = new Named { number = 1, name = "n" + 1 };
        var y = new Named { number = 1, name = "n1" };
        Debug.Assert(x.Equals(y));
        y.number = 2;
        Debug.Assert(!x.Equals(y));
        var pairs = new Dictionary<(int, int), string> { [(1, 2)] = "a" };
        Debug.Assert(pairs[(1, 2)] == "a");
        decimal d = 1.5m;
        Debug.Assert(d * 2 == 3m && (int)(d + 2) == 3 && d > 1.4m);
        int caught = 0;
        double large = 1e10;
        try { checked { caught += (int)large; } } catch (OverflowException) { caught++; }
        Debug.Assert(caught == 1 && checked((long)large) == 10000000000);
    }

    static void Queries()
    {
        var xs = new[] { 3, 1, 2 };
        Debug.Assert(xs.Where(x => x > 1).Select(x => x * 2).Sum() == 10);
        Debug.Assert(xs.OrderBy(x => x).First() == 1 && xs.Max() == 3 && xs.Any(x => x == 2));
        Debug.Assert(xs.ToList().Count == 3 && xs.GroupBy(x => x % 2).Count() == 2);
        IEnumerable<Animal> animals = new List<Dog> { new Dog() };
        foreach (Animal a in animals) Debug.Assert(a is Dog);
        IEnumerable<object> objects = new[] { "a", "b" };
        Debug.Assert(objects.Count() == 2);
        IList<int> list = xs;
        Debug.Assert(list[2] == 2 && list.Contains(3) && list.Count == 3);
    }

    static void Main()
    {
        Strings();
        Shapes();
        Delegates();
        Kinds();
        Queries();
    }
}
