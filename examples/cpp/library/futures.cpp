// Futures, promises and tasks. -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified -DPART=promise
// expect: rc11 verified -DPART=thrown
// expect: rc11 verified -DPART=task
// expect: rc11 verified -DPART=later
// expect: rc11 verified -DPART=broken
// expect: rc11 verified -DPART=stops
// expect: rc11 violated deadlock -DPART=promise -DWRONG=1
// expect: rc11 violated abort -DPART=thrown -DWRONG=2
// expect: rc11 violated data-race -DPART=promise -DWRONG=4
// expect: rc11 violated assertion -DPART=stops -DWRONG=3
// args: -std=c++20
#include <cassert>
#include <future>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <atomic>
#ifndef WRONG
#define WRONG 0
#endif

void promise()
{
    static int beside = 0;
    std::promise<std::string> promise;
    std::future<std::string> future = promise.get_future();
    std::thread other([&promise] {
        beside = 1;
#if WRONG != 1
        promise.set_value("text");
#endif
    });
#if WRONG == 4
    beside = 2;
#endif
    assert(future.get() == "text");
    assert(beside == 1 || WRONG == 4);
    other.join();
}

void thrown()
{
    auto future = std::async(std::launch::async, []() -> int { throw std::out_of_range("far"); });
#if WRONG == 2
    future.get();
#else
    try {
        future.get();
        assert(false);
    } catch (const std::logic_error &error) {
        assert(std::string(error.what()) == "far");
    }
#endif
}

void task()
{
    std::packaged_task<int(int)> task([](int n) { return n * 2; });
    std::shared_future<int> result = task.get_future().share();
    std::thread other(std::move(task), 21);
    assert(result.get() == 42 && result.get() == 42);
    other.join();
}

void later()
{
    int calls = 0;
    auto future = std::async(std::launch::deferred, [&calls] { return ++calls; });
    assert(calls == 0);
    assert(future.get() == 1);
}

void broken()
{
    std::future<void> future;
    {
        std::promise<void> promise;
        future = promise.get_future();
    }
    try {
        future.get();
        assert(false);
    } catch (const std::future_error &error) {
        assert(error.code() == std::future_errc::broken_promise);
    }
}

void stops()
{
    static std::atomic<int> stopped { 0 };
    std::jthread worker([](std::stop_token stop) {
        while (!stop.stop_requested())
            std::this_thread::yield();
        stopped.fetch_add(1);
    });
#if WRONG == 3
    assert(stopped.load() == 0);
    worker.request_stop();
    assert(stopped.load() == 0);
#else
    worker.request_stop();
    worker.join();
    assert(stopped.load() == 1);
#endif
}

int main() { PART(); }
