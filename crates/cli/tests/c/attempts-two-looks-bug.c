// The same without a wake-up where a thread announced that it sleeps: it sleeps for ever. That is found although attempts
// are made up at first.
// expect: sc violated deadlock
// expect: rc11 violated deadlock
// expect: imm violated deadlock
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t word, sleepers;
static int a, b;

static uint32_t load(uint32_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static void store(uint32_t *p, uint32_t v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
static uint32_t add(uint32_t *p, uint32_t v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
static uint32_t swap(uint32_t *p, uint32_t v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }

static void sleep_while_taken(void)
{
    int spins = 100;
    while (spins-- && !load(&sleepers)) {
        if (load(&word) != 1)
            return;
    }
    add(&sleepers, 1);
    while (load(&word) == 1)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
    add(&sleepers, -1);
}

static void *thread(void *arg)
{
    while (swap(&word, 1))
        sleep_while_taken();
    a++;
    b++;
    store(&word, 0);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(a == 2 && b == 2);
    return 0;
}
