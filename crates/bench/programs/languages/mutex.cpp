// Four threads that count under a mutex.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int count;

int main()
{
    std::thread threads[4];
    for (auto &thread : threads)
        thread = std::thread([] {
            std::lock_guard held(lock);
            count++;
        });
    for (auto &thread : threads)
        thread.join();
    assert(count == 4);
}
