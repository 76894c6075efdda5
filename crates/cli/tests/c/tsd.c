// Destructors run at the end of a thread, again if they set values anew; not for values that are null.
// expect: rc11 verified executions=1
// check: --leaks
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
pthread_key_t key, again, none;
int calls, rounds;
void destroy(void *value) { calls++; assert(pthread_getspecific(key) == 0); free(value); }
void destroy_again(void *value) { rounds++; pthread_setspecific(again, value); }
void never(void *value) { (void)value; assert(0); }
void deep(int n) { if (n) deep(n - 1); else pthread_exit((void *)7); }
void *work(void *arg) {
    int *value = malloc(sizeof *value);
    *value = 1;
    pthread_setspecific(key, value);
    pthread_setspecific(again, value);
    pthread_setspecific(none, value);
    pthread_setspecific(none, 0);
    if (arg) deep(2);
    return (void *)7;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_key_create(&key, destroy);
    pthread_key_create(&again, destroy_again);
    pthread_key_create(&none, never);
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, 0, work, i ? &t : 0);
        pthread_join(t, &result);
        assert(result == (void *)7);
        assert(calls == i + 1 && rounds == 4 * (i + 1));
    }
    pthread_key_delete(key);
}
