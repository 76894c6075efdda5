// Three threads that store and load.
#include <atomic>
#include <thread>

static std::atomic<int> x;

int main()
{
    std::thread threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = std::thread([i] {
            x.store(i + 1, std::memory_order_relaxed);
            (void)x.load(std::memory_order_relaxed);
        });
    for (auto &thread : threads)
        thread.join();
}
