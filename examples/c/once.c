// C11 threads and call_once: whoever comes first initialises, and everyone sees the result.
//
// source: ISO/IEC 9899:2011, 7.26.2.1
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <threads.h>

#ifndef N
#define N 2
#endif

static once_flag once = ONCE_FLAG_INIT;
static int table;

static void init(void)
{
    table = 42;
}

static int user(void *arg)
{
    (void)arg;
    call_once(&once, init);
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
