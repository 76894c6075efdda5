// An index that may be too many: some are tried.
// expect: sc bounded
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int table[1000];
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 1000) table[i] = 1;
    assert(table[0] == (i == 0));
}
