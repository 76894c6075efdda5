using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
unsafe struct Buf {
    public fixed int A[4];
    public int N;
}
struct P2 {
    public int X, Y;
}
class Program {
    static unsafe void Fill(int* p, int n) {
        for (int i = 0; i < n; i++) *p++ = i * i;
    }
    static unsafe int Sum(int[] a) {
        int s = 0;
        fixed (int* p = a) {
            for (int* q = p; q < p + a.Length; q++) s += *q;
        }
        return s;
    }
    static unsafe void Main() {
        int* st = stackalloc int[5];
        Fill(st, 5);
        T.W(st[4]);
        T.W(Sum(new[] { 1, 2, 3 }));
        int x = 5;
        int* px = &x;
        *px += 2;
        T.W(x);
        P2 p;
        p.X = 1;
        p.Y = 2;
        P2* pp = &p;
        pp->X = 9;
        T.W(p.X + pp->Y);
        T.W(sizeof(P2));
        T.W(sizeof(int) + sizeof(long));
        Buf b = new Buf();
        b.A[2] = 7;
        T.W(b.A[2] + b.A[0]);
        byte* pb = (byte*)px;
        T.W(pb[0]);
        T.W((long)(px + 1) - (long)px);
        fixed (char* c = "hey") {
            T.W(c[1]);
            T.W(*(c + 2));
        }
        long l = 0x0102030405060708;
        byte* lb = (byte*)&l;
        T.W(lb[0] * 100 + lb[7]);
        uint f = *(uint*)&x;
        T.W(f);
        float fl = 1.0f;
        T.W(*(int*)&fl);
        int** ppx = &px;
        **ppx = 3;
        T.W(x);
        void* v = px;
        T.W(*(int*)v);
        IntPtr ip = (IntPtr)px;
        T.W(ip != IntPtr.Zero);
        T.W(*(int*)ip.ToPointer());
    }
}
