// Mutexes and locks of all kinds. -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified -DPART=guarded
// expect: rc11 verified -DPART=recursive
// expect: rc11 verified -DPART=timed
// expect: rc11 verified -DPART=several
// expect: rc11 verified executions=2 -DPART=other_kinds
// expect: rc11 verified executions=2 -DPART=four
// expect: rc11 verified executions=2 -DPART=five
// expect: rc11 verified executions=2 -DPART=deferred
// expect: rc11 verified -DPART=shared
// expect: rc11 verified -DPART=shared_timed
// expect: rc11 violated data-race -DPART=guarded -DWRONG=1
// expect: rc11 violated deadlock -DPART=recursive -DWRONG=2
// expect: rc11 violated data-race -DPART=timed -DWRONG=3
// expect: rc11 violated deadlock -DPART=several -DWRONG=4
// expect: rc11 violated data-race -DPART=shared -DWRONG=5
// args: -std=c++20
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif
using namespace std::chrono_literals;

template <class F> void both(F work)
{
    std::thread other(work);
    work();
    other.join();
}

void guarded()
{
    static int count = 0;
    static std::mutex mutex;
    both([] {
        std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
#if WRONG != 1
        lock.lock();
#endif
        count++;
    });
    assert(count == 2);
}

void recursive()
{
#if WRONG == 2
    static std::mutex mutex;
#else
    static std::recursive_mutex mutex;
#endif
    static int count = 0;
    both([] {
        std::lock_guard outer(mutex);
        std::lock_guard inner(mutex);
        count++;
    });
    assert(count == 2);
}

void timed()
{
    static std::timed_mutex mutex;
    static int count = 0;
    both([] {
        std::unique_lock lock(mutex, 1ms);
#if WRONG != 3
        if (!lock)
            return;
#endif
        count++;
    });
    assert(count == 1 || count == 2);
}

void several()
{
    static std::mutex one, two;
    static int count = 0;
    std::thread other([] {
#if WRONG == 4
        std::lock_guard first(one);
        std::lock_guard second(two);
#else
        std::scoped_lock locks(one, two);
#endif
        count++;
    });
    {
#if WRONG == 4
        std::lock_guard first(two);
        std::lock_guard second(one);
#else
        std::lock(two, one);
        std::lock_guard first(one, std::adopt_lock);
        std::lock_guard second(two, std::adopt_lock);
#endif
        count++;
    }
    other.join();
    assert(count == 2);
}

void other_kinds()
{
    static std::mutex one;
    static std::recursive_mutex two;
    static int count = 0;
    std::thread other([] {
        std::scoped_lock locks(one, two);
        count++;
    });
    {
        std::scoped_lock locks(two, one);
        count++;
    }
    other.join();
    assert(count == 2);
}

void four()
{
    static std::mutex one, two, three, four;
    static int count = 0;
    std::thread other([] {
        std::scoped_lock locks(one, two, three, four);
        count++;
    });
    {
        std::scoped_lock locks(four, three, two, one);
        count++;
    }
    other.join();
    assert(count == 2);
}

void deferred()
{
    static std::mutex one, two;
    static int count = 0;
    both([] {
        std::unique_lock first(one, std::defer_lock), second(two, std::defer_lock);
        std::lock(first, second);
        count++;
    });
    assert(count == 2);
}

void five()
{
    static std::mutex mutexes[5];
    static int count = 0;
    std::thread other([] {
        std::scoped_lock all(mutexes[4], mutexes[2], mutexes[3], mutexes[0], mutexes[1]);
        count++;
    });
    {
        std::scoped_lock all(mutexes[0], mutexes[1], mutexes[2], mutexes[3], mutexes[4]);
        count++;
    }
    other.join();
    assert(count == 2);
}

void shared()
{
    static std::shared_mutex mutex;
    static int a = 0, b = 0;
    std::thread writer([] {
#if WRONG == 5
        std::shared_lock lock(mutex);
#else
        std::unique_lock lock(mutex);
#endif
        a++;
        b++;
    });
    {
        std::shared_lock lock(mutex);
        assert(a == b);
    }
    writer.join();
    if (mutex.try_lock_shared())
        mutex.unlock_shared();
}

void shared_timed()
{
    static std::shared_timed_mutex mutex;
    static int count = 0;
    std::thread writer([] {
        if (mutex.try_lock_for(1ms)) {
            count++;
            mutex.unlock();
        }
    });
    if (mutex.try_lock_shared_for(1ms)) {
        assert(count <= 1);
        mutex.unlock_shared();
    }
    writer.join();
}

int main() { PART(); }
