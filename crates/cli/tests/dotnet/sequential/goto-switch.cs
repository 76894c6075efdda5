using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static string S(string s) {
        switch (s) {
            case "one": return "1";
            case "two": return "2";
            case "three": case "drei": return "3";
            case "four": return "4";
            case "five": return "5";
            case "six": return "6";
            case "seven": return "7";
            case null: return "null";
            default: return "?";
        }
    }
    static int Sw(int x) {
        switch (x) {
            case 0: goto case 2;
            case 1: return 10;
            case 2: goto default;
            case 100: return 7;
            case -5: return 8;
            default: return 99;
        }
    }
    static void Main() {
        foreach (var s in new[] { "one", "drei", "seven", "eight", null, "six" }) T.W(S(s));
        foreach (var i in new[] { 0, 1, 2, 100, -5, 50 }) T.W(Sw(i));
        int n = 0;
        loop: n++;
        if (n < 5) goto loop;
        T.W(n);
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                if (i * j == 6) {
                    T.W(i + "," + j);
                    goto done;
                }
                if (j > 3) break;
                if (i == 1) continue;
            }
        }
        done: int k = 10;
        do {
            k -= 3;
        }
        while (k > 0);
        T.W(k);
        while (true) {
            if (++k > 5) break;
        }
        T.W(k);
        char c = 'b';
        switch (c) {
            case 'a': T.W("a");
            break;
            case 'b': T.W("b");
            break;
        }
        long l = 5000000000;
        switch (l) {
            case 5000000000: T.W("big");
            break;
        }
        bool t = true;
        switch (t) {
            case true: T.W("t");
            break;
            case false: T.W("f");
            break;
        }
    }
    static int switch_(int k) => k;
}
