// The C library's other names for its functions.
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
int __pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int _pthread_join(pthread_t, void **);
int __pthread_mutex_lock(pthread_mutex_t *);
int _pthread_mutex_unlock(pthread_mutex_t *);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;
void *t(void *x) { __pthread_mutex_lock(&m); n++; _pthread_mutex_unlock(&m); return x; }
int main(void) {
    pthread_t p;
    __pthread_create(&p, 0, t, 0);
    t(0);
    _pthread_join(p, 0);
    assert(n == 2);
    return 0;
}
