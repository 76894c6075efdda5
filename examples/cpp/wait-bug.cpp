// Whoever stores does not tell: the thread that waits may wait for ever.
//
// args: -std=c++20
// expect: rc11 violated deadlock
#include <atomic>
#include <thread>

static std::atomic<int> ready;

int main()
{
    std::thread setter([] { ready.store(1); });
    ready.wait(0);
    setter.join();
}
