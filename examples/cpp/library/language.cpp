// Virtual functions, templates, lambdas, objects of threads and functions. -DPART names one, and -DWRONG=N has a
// mistake.
//
// expect: rc11 verified -DPART=shapes
// expect: rc11 verified -DPART=of_threads
// expect: rc11 verified -DPART=of_functions
// expect: rc11 verified -DPART=captured
// expect: rc11 verified -DPART=in_time
// expect: rc11 verified -DPART=once
// expect: rc11 verified -DPART=references
// expect: rc11 violated data-race -DPART=of_functions -DWRONG=1
// expect: rc11 violated data-race -DPART=captured -DWRONG=2
// expect: rc11 violated dead-stack -DPART=in_time -DWRONG=3
// expect: rc11 violated data-race -DPART=once -DWRONG=4
// expect: rc11 violated data-race -DPART=references -DWRONG=5
// args: -std=c++20
#include <atomic>
#include <cassert>
#include <concepts>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
#ifndef WRONG
#define WRONG 0
#endif

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) { }
    int area() const override { return side * side; }
};
template <std::derived_from<Shape> T, class... Args> std::unique_ptr<Shape> make(Args... args)
{
    return std::make_unique<T>(args...);
}

struct Counter {
    static inline std::atomic<int> made { 0 }, gone { 0 };
    int uses = 0;
    Counter() { made++; }
    ~Counter() { gone++; }
};

// One of each thread, destroyed with it.
thread_local Counter counter;

void of_threads()
{
    std::vector<std::thread> threads;
    for (int n = 0; n < 2; n++)
        threads.emplace_back([] { assert(++counter.uses == 1); });
    for (auto &thread : threads)
        thread.join();
    assert(Counter::made == Counter::gone && Counter::made == 2);
}

struct Config {
    int value;
    Config() : value(7) { }
};

// Whoever comes first makes the object of a function.
Config &config()
{
#if WRONG == 1
    static Config *made = nullptr;
    if (!made)
        made = new Config;
    return *made;
#else
    static Config made;
    return made;
#endif
}

void of_functions()
{
    std::thread other([] { assert(config().value == 7); });
    assert(config().value == 7);
    other.join();
}

// Variables that a thread gets by reference.
void captured()
{
    int value = 0;
    std::atomic<bool> done { false };
    std::thread other([&] {
        value = 1;
        done.store(true, WRONG == 2 ? std::memory_order_relaxed : std::memory_order_release);
    });
    while (!done.load(std::memory_order_acquire))
        std::this_thread::yield();
    assert(value == 1);
    other.join();
}

std::thread begun()
{
    int local = 5;
#if WRONG == 3
    return std::thread([&local] { assert(local == 5); });
#else
    return std::thread([local] { assert(local == 5); });
#endif
}

void once()
{
    static std::once_flag flag;
    static int calls = 0;
    auto call = [] {
        std::call_once(flag, [] { calls++; });
        assert(calls == 1);
    };
    std::thread other(call);
#if WRONG == 4
    assert(calls == 0);
#endif
    call();
    other.join();
}

void references()
{
    int plain = 0;
    auto add = [&plain] { std::atomic_ref<int>(plain).fetch_add(1); };
    std::thread other(add);
#if WRONG == 5
    plain++;
#else
    add();
#endif
    other.join();
    assert(plain == 2);
}

template <int N> struct Fibonacci {
    static constexpr int value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<1> {
    static constexpr int value = 1;
};
template <> struct Fibonacci<0> {
    static constexpr int value = 0;
};

void shapes()
{
    auto shape = make<Square>(4);
    assert(shape->area() == 16 && dynamic_cast<Square *>(shape.get()));
    static_assert(Fibonacci<10>::value == 55);
    std::cout << "area " << shape->area() << std::endl;
}

void in_time() { begun().join(); }

int main() { PART(); }
