// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
int x, lock;
void *add(void *arg) {
    __sync_fetch_and_add(&x, 1);
    while (!__sync_bool_compare_and_swap(&lock, 0, 1));
    __sync_lock_release(&lock);
    if (!__sync_lock_test_and_set(&lock, 1)) __sync_lock_release(&lock);
    __sync_synchronize();
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(__sync_add_and_fetch(&x, 0) == 2);
    assert(__sync_val_compare_and_swap(&x, 2, 5) == 2);
    assert(__sync_bool_compare_and_swap(&x, 5, 6));
    assert(__atomic_fetch_nand(&x, 2, __ATOMIC_RELAXED) == 6 && x == ~2);
    char c = 1;
    assert(__atomic_test_and_set(&c, __ATOMIC_ACQUIRE) || 1);
    __atomic_clear(&c, __ATOMIC_RELEASE);
    assert(c == 0);
}
