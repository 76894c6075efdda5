// Whichever was found first, it is the access that has to come before the free.
// expect: rc11 violated use-after-free
// message: lifetime-words-after.c:10 in look#1 may be of memory that was freed already: nothing orders it before the free at lifetime-words-after.c:18 in main#0
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *p;
atomic_int done;
void *look(void *arg) {
    int seen = *p;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return seen ? arg : 0;
}
int main(void) {
    pthread_t t;
    p = malloc(sizeof *p);
    *p = 1;
    free(p); pthread_create(&t, 0, look, 0);


    pthread_join(t, 0);
}
