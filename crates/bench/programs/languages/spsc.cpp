// One thread sends three numbers through a ring of two places.
#include <atomic>
#include <cassert>
#include <thread>

static int ring[2];
static std::atomic<unsigned> head, tail;

int main()
{
    std::thread sender([] {
        for (unsigned i = 0; i < 3; i++) {
            while (i - head.load(std::memory_order_acquire) == 2) { }
            ring[i % 2] = int(i) + 1;
            tail.store(i + 1, std::memory_order_release);
        }
    });
    for (unsigned i = 0; i < 3; i++) {
        while (tail.load(std::memory_order_acquire) == i) { }
        assert(ring[i % 2] == int(i) + 1);
        head.store(i + 1, std::memory_order_release);
    }
    sender.join();
}
