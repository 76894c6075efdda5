// It does not end only by itself.
// expect: rc11 violated assertion line=11
#include <assert.h>
#include <threads.h>
mtx_t m;
cnd_t c;
int waiter(void *arg) {
    struct timespec t = {0, 0};
    mtx_lock(&m);
    int r = cnd_timedwait(&c, &m, &t);
    assert(r == thrd_timedout);
    mtx_unlock(&m);
    return arg != 0;
}
int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t, waiter, 0);
    thrd_join(t, 0);
    cnd_destroy(&c);
    mtx_destroy(&m);
}
