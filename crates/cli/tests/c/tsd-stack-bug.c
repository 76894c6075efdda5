// The destructor looks at a variable of the start routine, which has returned.
// expect: rc11 violated dead-stack line=4
#include <threads.h>
void destroy(void *value) { *(int *)value = 1; }
tss_t key;
int work(void *arg) { int local = 0; tss_set(key, &local); return arg != 0; }
int main(void) {
    thrd_t t;
    tss_create(&key, destroy);
    thrd_create(&t, work, 0);
    thrd_join(t, 0);
}
