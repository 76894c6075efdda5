// expect: rc11 violated invalid-join line=8
#include <pthread.h>
void *work(void *arg) { return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_detach(t);
    pthread_join(t, 0);
}
