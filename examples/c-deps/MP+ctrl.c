// A flag is published with release, and tested without acquire: a control dependency does not order the read
// after it.
// expect: imm violated
// expect: armv8 violated
// expect: power violated
// expect: riscv violated
// expect: x86 verified
// expect: rc11 violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

static void *writer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(data == 42);
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
