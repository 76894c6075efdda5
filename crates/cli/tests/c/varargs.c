// check: --unroll 32
// expect: rc11 verified executions=1
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct pair { long a, b; };
struct big { long a[3]; };
struct mixed { double d; int i; };
int sum(int count, ...) {
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    int total = 0;
    for (int i = 0; i < count; i++) total += va_arg(list, int);
    for (int i = 0; i < count; i++) total += va_arg(again, int);
    va_end(again);
    va_end(list);
    return total;
}
double all(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    double total = 0;
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 'p': { struct pair p = va_arg(list, struct pair); total += p.a + p.b; break; }
        case 'b': { struct big b = va_arg(list, struct big); total += b.a[0] + b.a[1] + b.a[2]; break; }
        case 'm': { struct mixed m = va_arg(list, struct mixed); total += m.d + m.i; break; }
        case 'w': total += (double)va_arg(list, __int128); break;
        case 's': total += strlen(va_arg(list, char *)); break;
        }
    }
    va_end(list);
    return total;
}
int next(va_list *list) { return va_arg(*list, int); }
int helper(va_list list) { return va_arg(list, int) + va_arg(list, int); }
int through(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = next(&list) + helper(list);
    va_end(list);
    return total;
}
int main(void) {
    struct pair p = {1, 2};
    struct big b = {{3, 4, 5}};
    struct mixed m = {0.5, 7};
    assert(sum(0) == 0);
    assert(sum(3, 1, 2, 3) == 12);
    assert(sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9) == 90);
    assert(all("ildpbmws", 1, 2L, 0.25, p, b, m, (__int128)100, "four") == 1 + 2 + 0.25 + 3 + 12 + 7.5 + 100 + 4);
    assert(all("dddddddddddiiiiiii", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1, 1, 1, 1, 1, 1, 1) == 18);
    assert(through(3, 10, 20, 30) == 60);
    int (*f)(int, ...) = sum;
    assert(f(2, 5, 6) == 22);
}
