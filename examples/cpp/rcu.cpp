// Read-copy-update in small: a reader announces itself, follows the current pointer and leaves; the updater
// publishes a new version, waits until no reader that could have seen the old one is inside, and frees it.
//
// source: P. E. McKenney, J. D. Slingwine, "Read-Copy Update: Using Execution History to Solve Concurrency
//         Problems", PDCS 1998
// expect: rc11 verified executions=3
#include <atomic>
#include <cassert>
#include <thread>

#ifndef WAIT
#define WAIT true
#endif

struct Version {
    int left, right;
};

static std::atomic<Version *> current;
static std::atomic<bool> inside;

static void reading()
{
    inside.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    auto [left, right] = *current.load(std::memory_order_acquire);
    inside.store(false, std::memory_order_release);
    assert(left == right);
}

static void update(int value)
{
    Version *old = current.exchange(new Version {value, value}, std::memory_order_acq_rel);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    while (WAIT && inside.load(std::memory_order_acquire)) { }
    delete old;
}

int main()
{
    current.store(new Version {1, 1}, std::memory_order_relaxed);
    std::thread reader(reading);
    update(2);
    reader.join();
}
