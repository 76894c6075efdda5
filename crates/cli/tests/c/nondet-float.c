// expect: sc unknown
// message: what cannot be calculated with
extern float __VERIFIER_nondet_float(void);
int main(void) {
    if (__VERIFIER_nondet_float() < 1.0f) return 1;
}
