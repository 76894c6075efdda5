// A call_once of one's own: the state is handled with compare-and-swap, but the look that finds the work
// done is relaxed, so what was done need not be visible. Reads stay in order under sc and tso.
//
// source: ISO/IEC 9899:2011, 7.26.2.1, for what it should guarantee
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

#ifndef N
#define N 2
#endif

enum { NEW, RUNNING, DONE };
static atomic_int state = NEW;

static void my_call_once(void (*function)(void))
{
    int expected = NEW;
    if (atomic_compare_exchange_strong(&state, &expected, RUNNING)) {
        function();
        atomic_store_explicit(&state, DONE, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&state, memory_order_relaxed) != DONE)
        ;
}

static int table;

static void init(void)
{
    table = 42;
}

static int user(void *arg)
{
    (void)arg;
    my_call_once(init);
    assert(table == 42);
    return 0;
}

int main(void)
{
    thrd_t threads[N];
    for (int i = 0; i < N; i++)
        thrd_create(&threads[i], user, NULL);
    for (int i = 0; i < N; i++)
        thrd_join(threads[i], NULL);
    return 0;
}
