// Two threads append to an array; the index is claimed with one atomic addition and then checked.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 1

static atomic_int length;
static int items[SIZE];

static void append(int item)
{
    int index = atomic_fetch_add(&length, 1);
    if (index < SIZE)
        items[index] = item;
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
