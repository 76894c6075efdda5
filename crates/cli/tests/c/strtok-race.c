// `strtok` keeps where it stands for all threads.
// expect: rc11 violated data-race
#include <pthread.h>
#include <string.h>
static void *t(void *x) { char text[] = "a b"; strtok(text, " "); return x; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    t(0);
    pthread_join(p, 0);
    return 0;
}
