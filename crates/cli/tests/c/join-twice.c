// expect: sc violated invalid-join line=6
// expect: rc11 violated invalid-join line=6
// message: nobody may join any more
#include <pthread.h>
pthread_t worker;
void *join(void *arg) { pthread_join(worker, 0); return arg; }
void *work(void *arg) { return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&worker, 0, work, 0);
    pthread_create(&a, 0, join, 0);
    pthread_create(&b, 0, join, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
