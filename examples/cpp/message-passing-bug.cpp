// A message behind a flag that is set without ordering it after the message.
//
// expect: rc11 violated data-race
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
    ready.store(true, std::memory_order_relaxed);
    reader.join();
}
