// A writer and two readers of a pair behind a sequence lock; readers look once.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<unsigned> version;
static std::atomic<int> one, two;

static void read_pair()
{
    unsigned before = version.load(std::memory_order_acquire);
    int a = one.load(std::memory_order_acquire);
    int b = two.load(std::memory_order_acquire);
    unsigned after = version.load(std::memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
}

int main()
{
    std::thread readers[] = {std::thread(read_pair), std::thread(read_pair)};
    version.store(1, std::memory_order_relaxed);
    one.store(1, std::memory_order_release);
    two.store(1, std::memory_order_release);
    version.store(2, std::memory_order_release);
    for (auto &reader : readers)
        reader.join();
}
