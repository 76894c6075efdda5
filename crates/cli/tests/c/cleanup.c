// Handlers run when the thread leaves, the innermost one first, and see the locals around them.
// expect: rc11 verified executions=1
#include <assert.h>
#include <pthread.h>
int order;
void inner(void *arg) { assert(order++ == 0); *(int *)arg += 1; }
void outer(void *arg) { assert(order++ == 1); assert(*(int *)arg == 6); }
void popped(void *arg) { *(int *)arg = 5; }
void *work(void *arg) {
    int local = 0;
    pthread_cleanup_push(popped, &local);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(popped, &order);
    pthread_cleanup_pop(0);
    pthread_cleanup_push(outer, &local);
    pthread_cleanup_push(inner, &local);
    if (!arg) pthread_exit((void *)3);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, &result);
    assert(order == 2 && result == (void *)3);
}
