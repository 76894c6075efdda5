// A thread that detaches itself, and a creator that does so, too.
// expect: rc11 violated invalid-join
#include <threads.h>
int work(void *arg) { thrd_detach(thrd_current()); return arg != 0; }
int main(void) {
    thrd_t t;
    thrd_create(&t, work, 0);
    thrd_detach(t);
}
