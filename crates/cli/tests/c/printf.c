// expect: rc11 verified
// output: x = 1, name = shared, 3.50 0x2a
// output: list 7 8.5 9
// output: done!
// output: ab
// output: <   -3|12  |k>
// output: perror: error 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
char name[16] = "shared";
int say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vprintf(format, list);
    va_end(list);
    return n;
}
int main(void) {
    char local[8], *p = local;
    int n = printf("x = %d, name = %s, %.2f %#x\n", 1, name, 3.5, 42);
    assert(n == 32);
    assert(say("list %d %g %ld\n", 7, 8.5, 9L) == 13);
    puts("done!");
    putchar('a');
    fputs("b\n", stdout);
    assert(snprintf(local, sizeof local, "%d-%s", 12345, "long") == 10);
    assert(!strcmp(p, "12345-l"));
    assert(snprintf(0, 0, "%5d", 1) == 5);
    assert(sprintf(name, "%c%c", 'h', 'i') == 2 && !strcmp(name, "hi"));
    fprintf(stderr, "<%*d|%-4d|%c>\n", 5, -3, 12, 'k');
    errno = ENOENT;
    perror("perror");
}
