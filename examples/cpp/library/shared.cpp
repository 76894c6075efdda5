// A pointer that threads exchange atomically.
//
// expect: rc11 verified
// expect: rc11 violated data-race -DWRONG=1
// args: -std=c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif

int main()
{
#if WRONG == 1
    std::shared_ptr<int> current(std::make_shared<int>(1));
    std::thread other([&] { current = std::make_shared<int>(2); });
    auto seen = current;
    other.join();
#else
    std::atomic<std::shared_ptr<int>> current(std::make_shared<int>(1));
    std::thread other([&] { current.store(std::make_shared<int>(2)); });
    auto seen = current.load();
    assert(*seen == 1 || *seen == 2);
    other.join();
    assert(*current.load() == 2);
#endif
}
