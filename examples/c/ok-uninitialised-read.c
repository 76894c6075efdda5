// A thread fills in a heap object before it hands it over.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pair {
    int left, right;
};

static _Atomic(struct pair *) box;

static void *first(void *arg)
{
    (void)arg;
    struct pair *p = malloc(sizeof *p);
    if (p == NULL)
        abort();
    p->left = 1;
    p->right = 2;
    atomic_store_explicit(&box, p, memory_order_release);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    struct pair *p = atomic_load_explicit(&box, memory_order_acquire);
    if (p != NULL && p->right != 2)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(atomic_load(&box));
    return 0;
}
