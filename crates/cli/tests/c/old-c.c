// C as it was written before its errors were errors: no declarations, no types, conversions without a cast.
// expect: rc11 verified
int *where;
char text[4];
add(a, b) int a; int b; { return a + b; }
void *thread(int *n) { where = text; *n = twice(2); return 0; }
int twice(int n) { return add(n, n); }
void assume(c) int c; { if (!c) exit(0); }
main() {
    static int n;
    char *memory = malloc(4);
    assume(memory);
    thread(&n);
    if (n != 4) abort();
    printf("%d\n", n);
    free(memory);
    return 0;
}
