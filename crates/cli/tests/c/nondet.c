// A value without a finite range.
// expect: sc unknown
// message: nondet.c:6: not supported: `__VERIFIER_nondet_int`: any value is possible
extern int __VERIFIER_nondet_int(void);
int main(void) {
    return __VERIFIER_nondet_int();
}
