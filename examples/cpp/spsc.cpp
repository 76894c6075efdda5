// A ring for one producer and one consumer: three items through two slots come out in order.
//
// source: L. Lamport, "Proving the Correctness of Multiprocess Programs", IEEE TSE 3(2), 1977
// expect: rc11 verified executions=9
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef GIVE_BACK
#define GIVE_BACK std::memory_order_release
#endif

template <typename T, std::size_t size> class Ring {
    std::array<T, size> slots {};
    std::atomic<std::size_t> head {0}, tail {0};

public:
    bool push(T value)
    {
        std::size_t at = tail.load(std::memory_order_relaxed);
        if (at - head.load(std::memory_order_acquire) == size)
            return false;
        slots[at % size] = value;
        tail.store(at + 1, std::memory_order_release);
        return true;
    }

    bool pop(T &value)
    {
        std::size_t at = head.load(std::memory_order_relaxed);
        if (tail.load(std::memory_order_acquire) == at)
            return false;
        value = slots[at % size];
        head.store(at + 1, GIVE_BACK);
        return true;
    }
};

static Ring<int, 2> ring;

int main()
{
    std::thread producer([] {
        for (int value = 1; value <= 3; value++)
            while (!ring.push(value)) { }
    });
    for (int value = 1; value <= 3; value++) {
        int popped;
        while (!ring.pop(popped)) { }
        assert(popped == value);
    }
    producer.join();
}
