// expect: sc unknown
// message: comes from an unknown input
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    return *p;
}
