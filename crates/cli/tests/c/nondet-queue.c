// A bounded queue: what comes out is what went in, in order.
// expect: sc verified
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define N 2
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ring[2], used, in, out, stored[N];
void *put(void *arg) {
    for (int i = 0; i < N; i++) {
        int v = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        while (used == 2) pthread_cond_wait(&c, &m);
        stored[i] = v;
        ring[in] = v;
        in = (in + 1) % 2;
        used++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
void *get(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        while (used == 0) pthread_cond_wait(&c, &m);
        if (ring[out] != stored[i]) reach_error();
        out = (out + 1) % 2;
        used--;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, get, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
