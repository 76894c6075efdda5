// As many threads as somebody wants, up to 3.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
void *up(void *arg) {
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[3];
    int n = 0;
    while (n < 3 && __VERIFIER_nondet_bool()) pthread_create(&t[n++], 0, up, 0);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0);
    assert(count == n);
}
