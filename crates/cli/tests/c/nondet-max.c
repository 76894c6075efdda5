// Each thread looks for the largest number of its half.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a[4], best[2];
void *find(void *arg) {
    int half = arg != 0;
    best[half] = a[2 * half];
    if (a[2 * half + 1] > best[half]) best[half] = a[2 * half + 1];
    return 0;
}
int main(void) {
    pthread_t s, t;
    for (int i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_int();
    pthread_create(&s, 0, find, 0);
    pthread_create(&t, 0, find, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
    int max = best[0] > best[1] ? best[0] : best[1];
    for (int i = 0; i < 4; i++) assert(max >= a[i]);
}
