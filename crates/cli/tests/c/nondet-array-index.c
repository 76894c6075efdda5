// An index is checked before it is used.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
int table[8];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *mark(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 8) {
        pthread_mutex_lock(&m);
        table[i] = 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, mark, 0);
    pthread_join(a, 0);
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += table[i];
    assert(sum <= 1);
}
