// Every thread has its own `errno`; that of another thread is out of reach.
// expect: rc11 unknown
// message: what another thread keeps for itself
#include <errno.h>
#include <pthread.h>
int *where;
void *set(void *arg) { *where = 3; return arg; }
int main(void) {
    pthread_t t;
    where = &errno;
    pthread_create(&t, 0, set, 0);
    pthread_join(t, 0);
}
