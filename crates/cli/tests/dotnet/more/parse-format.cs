// expect: sc verified
using System;
using System.Diagnostics;
using System.Globalization;
using System.Text;

class ParseFormat {
    static void Main() {
        string text = "41";
        Debug.Assert(int.Parse(text) + 1 == 42);
        Debug.Assert(int.TryParse("-7", out int n) && n == -7 && !int.TryParse("x", out n));
        Debug.Assert(long.Parse("123456789012") == 123456789012L);
        Debug.Assert(string.Format("{0,5}|{1,-4}|", 42, "ab") == "   42|ab  |");
        Debug.Assert($"{n:D3} {255:X} {255:x4}" == "000 FF 00ff");
        var builder = new StringBuilder();
        builder.Append("a").Append(1).Append(' ').AppendLine().Insert(0, "<").Replace('a', 'b');
        Debug.Assert(builder.ToString().StartsWith("<b1 ") && builder.Length > 4);
        Debug.Assert(string.Join(",", new[] { "a", "b" }) == "a,b" && "a,b".Split(',').Length == 2);
        Debug.Assert(" x ".Trim() == "x" && "abc".Substring(1, 1) == "b");
        Debug.Assert("abc".IndexOf('c') == 2 && "abc".Replace("b", "x") == "axc" && "abc".PadLeft(5) == "  abc");
        Debug.Assert((3).ToString() == "3" && string.Compare("a", "b", StringComparison.Ordinal) < 0);
    }
}
