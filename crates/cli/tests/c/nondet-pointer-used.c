// A pointer from outside may be null.
// expect: sc violated null-dereference line=6
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    return *p;
}
