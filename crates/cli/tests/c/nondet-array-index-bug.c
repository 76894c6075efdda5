// expect: sc violated out-of-bounds
extern int __VERIFIER_nondet_int(void);
int table[8];
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < 8) table[i] = 1;
}
