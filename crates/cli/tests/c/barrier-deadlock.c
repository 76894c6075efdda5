// expect: rc11 violated deadlock
// message: meet#1 waits at the barrier second at barrier-deadlock.c:8
// message: main#0 waits for another thread to end at barrier-deadlock.c:17
#include <pthread.h>
pthread_barrier_t first, second;
void *meet(void *arg) {
    pthread_barrier_wait(&first);
    pthread_barrier_wait(&second);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_barrier_init(&first, 0, 2);
    pthread_barrier_init(&second, 0, 2);
    pthread_create(&t, 0, meet, 0);
    pthread_barrier_wait(&first);
    pthread_join(t, 0);
}
