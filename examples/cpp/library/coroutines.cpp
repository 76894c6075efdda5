// Coroutines. -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified -DPART=generator
// expect: rc11 verified -DPART=awaits
// expect: rc11 verified -DPART=throws
// expect: rc11 verified executions=1 -DPART=chained
// expect: rc11 violated unpublished-object -DPART=awaits -DWRONG=1
// expect: rc11 violated use-after-free -DPART=generator -DWRONG=2
// args: -std=c++20
#include <atomic>
#include <cassert>
#include <coroutine>
#include <exception>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif

struct Numbers {
    struct promise_type {
        int value = 0;
        std::exception_ptr failure;
        Numbers get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next)
        {
            value = next;
            return {};
        }
        void return_void() { }
        void unhandled_exception() { failure = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;
};

Numbers count(int to, bool fails)
{
    for (int n = 1; n <= to; n++)
        co_yield n;
    if (fails)
        throw to;
}

void generator()
{
    Numbers numbers = count(3, false);
    int sum = 0;
    for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
        sum += numbers.handle.promise().value;
    numbers.handle.destroy();
#if WRONG == 2
    sum += numbers.handle.promise().value;
#endif
    assert(sum == 6);
}

void throws()
{
    Numbers numbers = count(1, true);
    while (!numbers.handle.done())
        numbers.handle.resume();
    int caught = 0;
    try {
        std::rethrow_exception(numbers.handle.promise().failure);
    } catch (int value) {
        caught = value;
    }
    assert(caught == 1);
    numbers.handle.destroy();
}

// What goes on in another thread.
struct Job {
    struct promise_type {
        Job get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() { }
        void unhandled_exception() { std::terminate(); }
    };
};

std::atomic<void *> waiting { nullptr };
int data = 0, seen = 0;

struct Elsewhere {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> job)
    {
        waiting.store(job.address(), WRONG == 1 ? std::memory_order_relaxed : std::memory_order_release);
    }
    int await_resume() { return data; }
};

Job work()
{
    data = 5;
    seen = co_await Elsewhere {};
}

void awaits()
{
    std::thread other([] {
        void *job;
        while (!(job = waiting.load(std::memory_order_acquire)))
            ;
        std::coroutine_handle<>::from_address(job).resume();
    });
    work();
    other.join();
    assert(seen == 5);
}

// One waits for another, and goes on where that ends; the first one ends in nobody.
struct Task {
    struct promise_type {
        std::coroutine_handle<> next = std::noop_coroutine();
        int value = 0;
        Task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
        std::suspend_always initial_suspend() { return {}; }
        auto final_suspend() noexcept
        {
            struct GoOn {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept
                {
                    return ended.promise().next;
                }
                void await_resume() noexcept { }
            };
            return GoOn {};
        }
        void return_value(int result) { value = result; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    ~Task() { handle.destroy(); }
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
    {
        handle.promise().next = waiting;
        return handle;
    }
    int await_resume() { return handle.promise().value; }
};

static Task two() { co_return 2; }
static Task twice() { co_return co_await two() + co_await two(); }

static void chained()
{
    Task task = twice();
    task.handle.resume();
    assert(task.handle.promise().value == 4);
}

int main() { PART(); }
