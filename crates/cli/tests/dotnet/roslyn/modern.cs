// C# 8, compiled by Roslyn for .NET Core 3.1 with a portable PDB.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

interface IShape
{
    int Area { get; }
    string Describe() => $"{GetType().Name} of {Area}";
}

class Square : IShape { public int Side; public int Area => Side * Side; }
class Strip : IShape { public int Length; public int Area => Length; public string Describe() => "strip"; }

class Program
{
    static int counter;
    static readonly object gate = new object();

    static string Kind(object x) => x switch
    {
        null => "nothing",
        int n when n < 0 => "negative",
        int _ => "number",
        string { Length: 0 } => "empty",
        string s => s,
        (int a, int b) => $"pair {a + b}",
        _ => "other",
    };

    static async Task<int> AddLater(int x)
    {
        await Task.CompletedTask;
        lock (gate) counter += x;
        return counter;
    }

    static async Task Main()
    {
        using var done = new CancellationTokenSource();
        Debug.Assert(Kind(-1) == "negative" && Kind(3) == "number" && Kind("") == "empty");
        Debug.Assert(Kind((1, 2)) == "pair 3" && Kind(null) == "nothing" && Kind('c') == "other");
        IShape shape = new Square { Side = 3 };
        Debug.Assert(shape.Describe() == "Square of 9");
        Debug.Assert(((IShape)new Strip()).Describe() == "strip");
        static int Twice(int x) => 2 * x;
        string text = null;
        text ??= "default";
        Debug.Assert(Twice(text.Length) == 14);
        var all = new List<int> { await AddLater(1), await AddLater(2) };
        Debug.Assert(counter == 3 && all.Max() == 3);
    }
}
