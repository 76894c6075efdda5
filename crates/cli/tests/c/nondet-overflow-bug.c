// expect: sc violated overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int();
    if (a > 0) return a + 1 > 0 ? 0 : 1;
}
