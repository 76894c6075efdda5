// One thread is joined by another than its creator: fine.
// expect: rc11 verified executions=1
#include <assert.h>
#include <pthread.h>
pthread_t worker;
int done;
void *work(void *arg) { done = 1; return arg; }
void *join(void *arg) { pthread_join(worker, 0); assert(done); return arg; }
int main(void) {
    pthread_t a;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&a, 0, join, 0);
    pthread_join(a, 0);
    assert(done);
}
