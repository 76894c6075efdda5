// A counted pointer is exchanged as a whole: no thread sees half of one.
// expect: sc verified
// expect: rc11 verified
// check: --unroll 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct counted { int *at; unsigned long count; };
_Atomic struct counted head;
int cells[2];
void *step(void *arg) {
    long n = (long)arg;
    struct counted old = atomic_load(&head), new;
    do {
        assert(old.count == 0 ? old.at == 0 : old.at != 0);
        new = (struct counted){&cells[n], old.count + 1};
    } while (!atomic_compare_exchange_strong(&head, &old, new));
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, step, (void *)0);
    pthread_create(&b, 0, step, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct counted end = atomic_load(&head);
    assert(end.count == 2 && (end.at == &cells[0] || end.at == &cells[1]));
}
