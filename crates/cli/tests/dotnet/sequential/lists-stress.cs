using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static void Main() {
        var l = new List<int>();
        for (int i = 0; i < 100; i++) l.Add((i * 37) % 101);
        T.W(l.Sum());
        l.Sort();
        T.W(l[50]);
        var d = new Dictionary<int, int>();
        for (int i = 0; i < 60; i++) d[i * 7] = i;
        int s = 0;
        foreach (var kv in d) s += kv.Key * kv.Value;
        T.W(s);
        var sb = new StringBuilder();
        for (int i = 0; i < 50; i++) sb.Append(i).Append(',');
        T.W(sb.Length);
        T.W(sb.ToString().Split(',').Length);
        var q = new Queue<int>();
        for (int i = 0; i < 40; i++) {
            q.Enqueue(i);
            if (i % 3 == 0) q.Dequeue();
        }
        T.W(q.Count);
        T.W(q.Sum());
        var m = new int[10, 10];
        for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) m[i, j] = i ^ j;
        int t = 0;
        foreach (var x in m) t += x;
        T.W(t);
        var hs = new HashSet<string>();
        for (int i = 0; i < 30; i++) hs.Add("k" + i % 10);
        T.W(hs.Count);
        string str = "";
        for (int i = 0; i < 20; i++) str += (char)('a' + i);
        T.W(str);
        var sieve = new bool[200];
        int pc = 0;
        for (int i = 2; i < 200; i++) {
            if (!sieve[i]) {
                pc++;
                for (int j = i * i; j < 200; j += i) sieve[j] = true;
            }
        }
        T.W(pc);
    }
}
