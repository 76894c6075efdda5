// expect: rc11 verified
// check: --unroll 4
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_barrier_t barrier;
sem_t sem;
int shared, ran;
void run_once(void) { ran++; }
void *work(void *arg) {
    pthread_rwlock_rdlock(&rw);
    int seen = shared;
    pthread_rwlock_unlock(&rw);
    assert(seen == 0 || seen == 1);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_once(&once, run_once);
    sched_yield();
    usleep(10);
    nanosleep(&(struct timespec){0, 1}, 0);
    sem_post(&sem);
    pthread_barrier_wait(&barrier);
    return arg;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&sem, 0, 0);
    pthread_create(&t, 0, work, &t);
    pthread_rwlock_wrlock(&rw);
    shared = 1;
    pthread_rwlock_unlock(&rw);
    if (pthread_spin_trylock(&spin) == 0) pthread_spin_unlock(&spin);
    pthread_once(&once, run_once);
    sem_wait(&sem);
    pthread_barrier_wait(&barrier);
    pthread_join(t, &result);
    assert(result == &t && ran == 1 && !pthread_equal(t, pthread_self()));
    sem_destroy(&sem);
    pthread_rwlock_destroy(&rw);
    pthread_spin_destroy(&spin);
    pthread_barrier_destroy(&barrier);
}
