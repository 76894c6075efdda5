// A promise that is kept, and one that ends in an exception.
//
// expect: rc11 verified
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    auto kept = promise.get_future();
    std::thread thread([&] { promise.set_value(4); });
    assert(kept.get() == 4);
    thread.join();

    auto broken = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    try {
        broken.get();
        assert(false);
    } catch (const std::runtime_error &) {
    }
}
