// Nobody signals: the wait ends by itself. C11 names.
// expect: rc11 verified
#include <assert.h>
#include <threads.h>
mtx_t m;
cnd_t c;
int waiter(void *arg) {
    struct timespec t = {0, 0};
    mtx_lock(&m);
    int r = cnd_timedwait(&c, &m, &t);
    assert(r == thrd_timedout || r == thrd_success);
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
