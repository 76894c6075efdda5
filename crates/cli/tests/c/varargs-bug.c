// One argument too few.
// expect: rc11 violated out-of-bounds line=7
#include <stdarg.h>
int last(int count, ...) {
    va_list list;
    va_start(list, count);
    int value = va_arg(list, int);
    va_end(list);
    return value;
}
int main(void) { return last(1); }
