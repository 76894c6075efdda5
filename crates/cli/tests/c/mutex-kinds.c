// Kinds are per mutex and execution: the same memory is a recursive or a checking mutex, as is chosen.
// args: -D_GNU_SOURCE
// expect: rc11 verified executions=3
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdlib.h>
pthread_mutex_t fixed = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int main(void) {
    static const int kinds[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_NORMAL};
    pthread_mutexattr_t attr;
    pthread_mutex_t *m = malloc(sizeof *m);
    int kind = kinds[selvedge_choose(3)];
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, kind);
    pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_lock(m);
    if (kind == PTHREAD_MUTEX_RECURSIVE) {
        assert(pthread_mutex_lock(m) == 0);
        assert(pthread_mutex_trylock(m) == 0);
        pthread_mutex_unlock(m);
        pthread_mutex_unlock(m);
    } else if (kind == PTHREAD_MUTEX_ERRORCHECK) {
        assert(pthread_mutex_lock(m) == EDEADLK);
        assert(pthread_mutex_trylock(m) == EBUSY);
    } else {
        assert(pthread_mutex_trylock(m) == EBUSY);
    }
    assert(pthread_mutex_unlock(m) == 0);
    if (kind != PTHREAD_MUTEX_NORMAL)
        assert(pthread_mutex_unlock(m) == EPERM);
    pthread_mutex_destroy(m);
    free(m);
    pthread_mutex_lock(&fixed);
    pthread_mutex_lock(&fixed);
    pthread_mutex_unlock(&fixed);
    pthread_mutex_unlock(&fixed);
}
