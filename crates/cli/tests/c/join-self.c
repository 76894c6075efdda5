// expect: rc11 violated deadlock line=8
// message: work#1 waits for another thread to end at join-self.c:4
#include <pthread.h>
void *work(void *arg) { pthread_join(pthread_self(), 0); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
}
