// A pointer is published with release, and followed without acquire: the access depends on the pointer. The
// language gives no guarantee, so under RC11 this is a race; hardware keeps address dependencies
// (not IMM: it keeps dependencies of writes only).
// expect: imm violated
// expect: armv8 verified
// expect: power verified
// expect: riscv verified
// expect: x86 verified
// expect: rc11 violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int data;
_Atomic(int *) where;

static void *writer(void *arg)
{
    data = 42;
    atomic_store_explicit(&where, &data, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    int *p = atomic_load_explicit(&where, memory_order_relaxed);
    if (p)
        assert(*p == 42);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
