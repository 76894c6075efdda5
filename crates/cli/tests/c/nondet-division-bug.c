// expect: sc violated division-by-zero
extern unsigned __VERIFIER_nondet_uint(void);
int total = 100;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 50) total = total / (int)(n % 10);
}
