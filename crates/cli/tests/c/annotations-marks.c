// expect: rc11 verified executions=1
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
atomic_int x;
int main(void) {
    int e = 0;
    assert(__VERIFIER_helping_CAS(atomic_compare_exchange_strong(&x, &e, 1)));
    assert(__VERIFIER_speculative_read(atomic_load(&x)) == 1);
    assert(__VERIFIER_confirming_read(atomic_load(&x)) == 1);
    __VERIFIER_local_write(atomic_store(&x, 2));
    __VERIFIER_optional(atomic_fetch_add(&x, 1));
    if (__VERIFIER_opt_begin()) x = 5;
    assert(x == 5);
    return 0;
}
