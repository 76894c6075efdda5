// A normal mutex, although another execution makes the same one recursive.
// expect: rc11 violated deadlock line=13
#include <pthread.h>
#include <selvedge.h>
pthread_mutex_t m;
int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    if (!selvedge_choose(2))
        pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
}
