// Two members of a union, one of them under the wrong flag.
#include <pthread.h>
#include <stdatomic.h>

struct message {
    int tag;
    union {
        float weight;
        int count;
        struct { char name[4]; void *owner; } detail;
    } body;
};

static struct message message;
static atomic_int ready;

static void *writer(void *unused)
{
    message.body.weight = 1.5f;
    message.body.detail.owner = &ready;
    atomic_store_explicit(&ready, 1, memory_order_release);
    message.body.count = 3;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int failed = 0;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        failed = message.body.weight == 2.5f;
    pthread_join(thread, NULL);
    return failed;
}
