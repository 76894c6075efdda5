// Two threads append to an array after checking the length: both can pass the check, and one writes past
// the end.
// expect: sc violated out-of-bounds line=17
// expect: tso violated out-of-bounds line=17
// expect: rc11 violated out-of-bounds line=17
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 1

static atomic_int length;
static int items[SIZE];

static void append(int item)
{
    if (atomic_load(&length) < SIZE)
        items[atomic_fetch_add(&length, 1)] = item;
}

static void *first(void *arg)
{
    (void)arg;
    append(1);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    append(2);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
