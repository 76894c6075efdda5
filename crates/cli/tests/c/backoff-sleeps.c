// Waiting loops that sleep now and then, by `poll` and `select` of no files: what counts the attempts is
// lent to a function.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/select.h>

static atomic_int polled, selected;
static int data;

static int busy_wait(int *attempt, int blocking)
{
    if (!blocking)
        return 1;
    if (++*attempt >= 10) {
        (void)poll(NULL, 0, 10);
        *attempt = 0;
    } else {
        __asm__ volatile("rep; nop" ::: "memory");
    }
    return 0;
}

static void *sender(void *unused)
{
    data = 1;
    atomic_store_explicit(&polled, 1, memory_order_release);
    atomic_store_explicit(&selected, 1, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int attempt = 0;
    pthread_create(&thread, 0, sender, 0);
    while (!atomic_load_explicit(&selected, memory_order_relaxed)) {
        struct timeval pause = {0, 1000};
        select(0, NULL, NULL, NULL, &pause);
    }
    while (!atomic_load_explicit(&polled, memory_order_acquire))
        if (busy_wait(&attempt, 1))
            return 1;
    assert(data == 1);
    pthread_join(thread, 0);
    return 0;
}
