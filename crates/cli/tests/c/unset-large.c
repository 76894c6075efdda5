// Large arrays are not filled: what depends on them is not known.
// expect: sc unknown
// check: --errors assertion
// message: uninitialised-read at unset-large.c:9 is not looked for
extern void reach_error(void);
static int f(int *a) { return a[70]; }
int main(void) {
    int a[5000];
    if (f(a) == 3) reach_error();
    return 0;
}
