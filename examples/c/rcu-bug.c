// The same read-copy-update with a reader that does not fence after its announcement. The updater may
// still see "nobody inside" while the reader holds the old pointer, and frees what the reader uses. The
// delayed store is what tso adds to sc.
//
// source: M. Desnoyers, P. E. McKenney, A. S. Stern, M. R. Dagenais, J. Walpole, "User-Level
//         Implementations of Read-Copy Update", IEEE TPDS 23(2), 2012, on the fence of the reader
// expect: sc verified
// expect: tso violated use-after-free
// expect: rc11 violated use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct version {
    int left, right;
};

static _Atomic(struct version *) current;
static atomic_bool inside;

static struct version *new_version(int value)
{
    struct version *v = malloc(sizeof *v);
    if (v == NULL)
        abort();
    v->left = v->right = value;
    return v;
}

static void *reader(void *arg)
{
    (void)arg;
    atomic_store_explicit(&inside, 1, memory_order_relaxed);
    struct version *v = atomic_load_explicit(&current, memory_order_acquire);
    int left = v->left;
    int right = v->right;
    atomic_store_explicit(&inside, 0, memory_order_release);
    assert(left == right);
    return NULL;
}

int main(void)
{
    atomic_init(&current, new_version(1));
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);

    struct version *old = atomic_exchange_explicit(&current, new_version(2), memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&inside, memory_order_acquire))
        ;
    free(old);

    pthread_join(thread, NULL);
    free(atomic_load(&current));
    return 0;
}
