using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
class Program {
    static int Pop(uint x) {
        int n = 0;
        while (x != 0) {
            x &= x - 1;
            n++;
        }
        return n;
    }
    static uint Rev(uint x) {
        uint r = 0;
        for (int i = 0; i < 32; i++) {
            r = r << 1 | x & 1;
            x >>= 1;
        }
        return r;
    }
    static ulong Mix(ulong z) {
        unchecked {
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
            return z ^ (z >> 31);
        }
    }
    static uint Crc(byte[] b) {
        uint c = 0xffffffff;
        foreach (var x in b) {
            c ^= x;
            for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? (c >> 1) ^ 0xedb88320 : c >> 1;
        }
        return ~c;
    }
    static void Main() {
        T.W(Pop(0xF0F0));
        T.W(Rev(1));
        T.W(Mix(12345));
        T.W(Crc(new byte[] { 49, 50, 51 }));
        sbyte s = -3;
        T.W(s >> 1);
        T.W((byte)s);
        short neg = -2;
        T.W((ushort)neg);
        long l = -1;
        T.W((ulong)l >> 60);
        T.W((uint)(l >> 33));
        T.W(unchecked((int)0xFFFFFFFFu));
        T.W(~0L);
        short sh = (short)0x7fff;
        sh++;
        T.W(sh);
        char c = 'z';
        c++;
        T.W((int)c);
        T.W(5 & ~1);
        T.W(1 ^ 3 | 4);
        T.W(-7 / 2);
        T.W(-7 % 3);
        T.W(7 >> -1);
    }
}
