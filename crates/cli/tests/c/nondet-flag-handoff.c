// A value is handed over under a lock, and is the same on the other side.
// expect: sc verified
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data, ready, sent;
void *producer(void *arg) {
    int v = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    sent = data = v;
    ready = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    if (ready && data != sent) reach_error();
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
