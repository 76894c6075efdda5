// Too many addresses to go through, unless there is a range. Nothing is known of other numbers then.
// expect: sc bounded
// check: --nondet-range -10..300
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int table[1000];
int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 1000) table[i] = 1;
    assert(table[0] == (i == 0));
}
