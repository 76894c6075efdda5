// What no machine accesses as a whole is plain, volatile or not.
// expect: rc11 violated data-race
// check: --volatile atomic
#include <pthread.h>
volatile struct { long a, b; } f;
struct pair { long a, b; };
void *t(void *x) { struct pair p = {1, 1}; *(volatile struct pair *)&f = p; return x; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    struct pair q = *(volatile struct pair *)&f;
    pthread_join(p, 0);
    return 0;
}
