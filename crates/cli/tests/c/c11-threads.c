// expect: rc11 verified
// check: --unroll 4
#include <assert.h>
#include <threads.h>
#include <time.h>
mtx_t m, r;
cnd_t c;
once_flag once = ONCE_FLAG_INIT;
tss_t key;
thread_local int own = 5;
int ready, ran;
void run_once(void) { ran++; }
int work(void *arg) {
    own++;
    assert(own == 6);
    call_once(&once, run_once);
    tss_set(key, arg);
    assert(tss_get(key) == arg);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    thrd_yield();
    thrd_sleep(&(struct timespec){0, 1}, 0);
    if (mtx_trylock(&m) == thrd_success) mtx_unlock(&m);
    thrd_exit(9);
}
int main(void) {
    thrd_t t;
    int result;
    mtx_init(&m, mtx_plain);
    mtx_init(&r, mtx_plain | mtx_recursive);
    cnd_init(&c);
    tss_create(&key, 0);
    assert(mtx_lock(&r) == thrd_success && mtx_lock(&r) == thrd_success);
    mtx_unlock(&r);
    mtx_unlock(&r);
    assert(thrd_create(&t, work, &result) == thrd_success);
    call_once(&once, run_once);
    mtx_lock(&m);
    while (!ready) cnd_wait(&c, &m);
    mtx_unlock(&m);
    thrd_join(t, &result);
    assert(result == 9 && ran == 1 && own == 5);
    assert(thrd_equal(thrd_current(), thrd_current()));
    cnd_destroy(&c);
    mtx_destroy(&m);
    tss_delete(key);
}
