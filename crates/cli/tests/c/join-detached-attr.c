// expect: rc11 violated invalid-join line=11
#include <pthread.h>
void *work(void *arg) { return arg; }
int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, 0);
    pthread_attr_destroy(&attr);
    pthread_join(t, 0);
}
