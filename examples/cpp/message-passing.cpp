// A message behind a flag.
//
// expect: rc11 verified
#include <atomic>
#include <cassert>
#include <thread>

int message;
std::atomic<bool> ready;

int main()
{
    std::thread reader([] {
        while (!ready.load(std::memory_order_acquire))
            ;
        assert(message == 42);
    });
    message = 42;
    ready.store(true, std::memory_order_release);
    reader.join();
}
