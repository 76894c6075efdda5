// A sequence lock: the writer makes the counter odd while it writes, readers try again if it was odd or has
// changed.
//
// source: H.-J. Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC 2012
// expect: rc11 verified executions=2
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

#ifndef LOOKED // between the data and the second look
#define LOOKED std::atomic_thread_fence(std::memory_order_acquire)
#endif

class SeqLock {
    std::atomic<unsigned> sequence {0};
    std::atomic<int> left {0}, right {0};

public:
    void update(int value)
    {
        unsigned s = sequence.load(std::memory_order_relaxed);
        sequence.store(s + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        left.store(value, std::memory_order_relaxed);
        right.store(value, std::memory_order_relaxed);
        sequence.store(s + 2, std::memory_order_release);
    }

    std::pair<int, int> look() const
    {
        for (;;) {
            unsigned s = sequence.load(std::memory_order_acquire);
            if (s % 2 != 0)
                continue;
            int l = left.load(std::memory_order_relaxed);
            int r = right.load(std::memory_order_relaxed);
            LOOKED;
            if (sequence.load(std::memory_order_relaxed) == s)
                return {l, r};
        }
    }
};

static SeqLock lock;

int main()
{
    std::thread writer([] { lock.update(1); });
    auto [left, right] = lock.look();
    assert(left == right);
    writer.join();
}
