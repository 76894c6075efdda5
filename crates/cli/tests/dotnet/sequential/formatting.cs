using System; using System.Collections.Generic;
class P { public override string ToString() { return "P!"; } }
class Program {
    static void Main() {
        int i = 42; string s = "str"; object o = null;
        T.W($"{i} {s} {new P()}"); T.W(string.Format("{0}-{1}-{0}", i, s)); T.W($"{i,5}|{i,-5}|{s,6}|");
        T.W($"{{braces}} {i + 1}"); T.W($"{(i > 3 ? "big" : "small")}"); T.W($"[{o}]");
        T.W(i.ToString("D5")); T.W(i.ToString("X")); T.W(255.ToString("x4")); T.W($"{i:D4} {i:X2}");
        T.W((-1).ToString("X")); T.W(((short)-2).ToString("X")); T.W(((byte)7).ToString("X2")); T.W((-42).ToString("D5"));
        T.W(i.ToString("000000")); T.W(string.Format("{0:D3}|{1,4}", 5, 6)); T.W(long.MinValue.ToString());
        T.W(1234567.ToString("N0")); T.W((-1234).ToString("N2")); T.W(12.ToString("F1"));
        T.W(2.5.ToString()); T.W("" + 1.0); T.W((1.5f).ToString()); T.W(0.125.ToString("F2")); T.W(1e15.ToString());
        T.W(1.5e-7.ToString()); T.W(1234.5.ToString("N1")); T.W(double.NaN.ToString()); T.W(0.0001.ToString());
    }
}
