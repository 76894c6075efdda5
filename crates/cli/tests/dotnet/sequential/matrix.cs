using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Matrix {
    readonly int[,] a;
    public Matrix(int[,] x) {
        a = x;
    }
    public int this[int i, int j] {
        get {
            return a[i, j];
        }
    }
    public static Matrix operator *(Matrix p, Matrix q) {
        int n = p.a.GetLength(0), m = q.a.GetLength(1), k = p.a.GetLength(1);
        var r = new int[n, m];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) r[i, j] += p.a[i, l] * q.a[l, j];
        return new Matrix(r);
    }
    public override string ToString() {
        var sb = new StringBuilder();
        for (int i = 0; i < a.GetLength(0); i++) {
            for (int j = 0; j < a.GetLength(1); j++) sb.Append(a[i, j]).Append(' ');
            sb.Append('|');
        }
        return sb.ToString();
    }
}
class Program {
    static void Main() {
        var m = new Matrix(new[,] { { 1, 1 }, { 1, 0 } });
        var r = m;
        for (int i = 0; i < 5; i++) r = r * m;
        T.W(r);
        T.W(r[0, 1]);
    }
}
