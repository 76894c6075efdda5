// expect: rc11 unknown
// expect: imm unknown
// message: nothing was checked
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int main(void) {
    __VERIFIER_assume(0);
    reach_error();
}
