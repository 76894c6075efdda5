// An `abort` that is no assumption is an error, also in a function that is called so and does something else as well.
// expect: sc violated abort line=8
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
int seen;
void assume_abort_if_not(int cond) {
    seen = cond;
    if (!cond) abort();
}
int main(void) {
    assume_abort_if_not(__VERIFIER_nondet_int());
    return 0;
}
