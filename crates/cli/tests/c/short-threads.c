// With pointers of 32 bits: threads and what they return, locks as the headers for 32 bits initialise them, keys, a
// stack of nodes, condition variables, barriers.
// args: -m32
// expect: sc verified
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
static _Atomic(struct node *) top;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static int count, ready;
struct { pthread_mutex_t lock; int behind; } close;

static void init(void) { ready = 1; }

static void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
                                                  memory_order_relaxed));
}

static void *worker(void *arg) {
    int me = *(int *)arg;
    pthread_setspecific(key, arg);
    pthread_once(&once, init);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    count++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    push(me);
    pthread_barrier_wait(&barrier);
    assert(pthread_getspecific(key) == arg && ready);
    sem_post(&sem);
    return arg;
}

static void *waits(void *arg) {
    pthread_mutex_lock(&lock);
    while (!close.behind) pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    return (void *)7;
}

int main(void) {
    pthread_t threads[2], waiter;
    int ids[2] = {1, 2};
    assert(sizeof(pthread_t) == 4 && sizeof(pthread_mutex_t) == 24);
    pthread_key_create(&key, 0);
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&sem, 0, 0);
    pthread_mutex_init(&close.lock, 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, &ids[i]);
    sem_wait(&sem);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert(result == &ids[i]);
    }
    assert(count == 2);
    struct node *n = atomic_load(&top);
    assert(n->value + n->next->value == 3 && !n->next->next);
    free(n->next);
    free(n);
    pthread_create(&waiter, 0, waits, 0);
    pthread_mutex_lock(&lock);
    close.behind = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    void *seven;
    pthread_join(waiter, &seven);
    assert(seven == (void *)7);
    return 0;
}
