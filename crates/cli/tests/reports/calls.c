// Calls of the C library: locks, conditions, semaphores, barriers, and a wait that time ends.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static sem_t items;
static struct {
    mtx_t lock;
    cnd_t ready;
    int n;
} queue;
static int go, seen;

static void *worker(void *unused)
{
    pthread_barrier_wait(&start);
    pthread_rwlock_rdlock(&table);
    seen = go;
    pthread_rwlock_unlock(&table);
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    sem_post(&items);
    mtx_lock(&queue.lock);
    queue.n = 1;
    cnd_broadcast(&queue.ready);
    mtx_unlock(&queue.lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit = {1, 0};
    int result = 0;
    sem_init(&items, 0, 0);
    pthread_barrier_init(&start, 0, 2);
    mtx_init(&queue.lock, mtx_plain);
    cnd_init(&queue.ready);
    pthread_create(&thread, 0, worker, 0);
    pthread_barrier_wait(&start);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_mutex_lock(&lock);
    while (!go)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    sem_wait(&items);
    mtx_lock(&queue.lock);
    while (!queue.n && result == 0)
        result = cnd_timedwait(&queue.ready, &queue.lock, &limit);
    mtx_unlock(&queue.lock);
    pthread_join(thread, 0);
    assert(result == 0);
    return 0;
}
