// The work-stealing deque of Chase and Lev, on a buffer that does not grow. The owner pushes two items and takes
// one; a thief tries to steal twice. No item is handed out twice.
//
// source: D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005; orderings as in N. M. Le, A. Pop,
//         A. Cohen, F. Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models", PPoPP 2013
// expect: rc11 verified executions=38
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#ifndef BETWEEN // what one announces and what it looks at
#define BETWEEN std::memory_order_seq_cst
#endif

class Deque {
    static constexpr int size = 4;
    std::atomic<int> top {0}, bottom {0};
    std::atomic<int> buffer[size] {};

public:
    void push(int item)
    {
        int b = bottom.load(std::memory_order_relaxed);
        int t = top.load(std::memory_order_acquire);
        assert(b - t < size);
        buffer[b % size].store(item, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        bottom.store(b + 1, std::memory_order_relaxed);
    }

    std::optional<int> take()
    {
        int b = bottom.load(std::memory_order_relaxed) - 1;
        bottom.store(b, std::memory_order_relaxed);
        std::atomic_thread_fence(BETWEEN);
        int t = top.load(std::memory_order_relaxed);
        if (t > b) {
            bottom.store(b + 1, std::memory_order_relaxed);
            return std::nullopt;
        }
        int item = buffer[b % size].load(std::memory_order_relaxed);
        if (t < b)
            return item;
        bool won = top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        bottom.store(b + 1, std::memory_order_relaxed);
        return won ? std::optional(item) : std::nullopt;
    }

    std::optional<int> steal()
    {
        int t = top.load(std::memory_order_acquire);
        std::atomic_thread_fence(BETWEEN);
        int b = bottom.load(std::memory_order_acquire);
        if (t >= b)
            return std::nullopt;
        int item = buffer[t % size].load(std::memory_order_relaxed);
        if (!top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
            return std::nullopt;
        return item;
    }
};

static Deque deque;

int main()
{
    std::optional<int> first, second;
    std::thread thief([&] {
        first = deque.steal();
        second = deque.steal();
    });
    deque.push(1);
    deque.push(2);
    auto taken = deque.take();
    thief.join();
    assert(!taken || (taken != first && taken != second));
    assert(!first || first != second);
}
