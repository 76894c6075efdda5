// What waits and wakes. -DPART names one, and -DWRONG=N has a mistake.
//
// expect: rc11 verified -DPART=condition
// expect: rc11 verified -DPART=any_condition
// expect: rc11 verified -DPART=with_time
// expect: rc11 verified -DPART=latch
// expect: rc11 verified -DPART=barrier
// expect: rc11 verified -DPART=semaphore
// expect: rc11 verified -DPART=atomic_wait
// expect: rc11 verified -DPART=atomic_wait_of_others
// expect: rc11 violated deadlock -DPART=condition -DWRONG=1
// expect: rc11 violated deadlock -DPART=any_condition -DWRONG=2
// expect: rc11 violated data-race -DPART=latch -DWRONG=3
// expect: rc11 violated data-race -DPART=barrier -DWRONG=4
// expect: rc11 violated deadlock -DPART=semaphore -DWRONG=5
// expect: rc11 violated data-race -DPART=atomic_wait -DWRONG=6
// expect: rc11 violated deadlock -DPART=atomic_wait_of_others -DWRONG=7
// args: -std=c++20
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#ifndef WRONG
#define WRONG 0
#endif
using namespace std::chrono_literals;

void condition()
{
    static std::mutex mutex;
    static std::condition_variable changed;
    static bool ready = false;
    std::thread other([] {
        std::lock_guard lock(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock lock(mutex);
#if WRONG == 1
        changed.wait(lock);
#else
        changed.wait(lock, [] { return ready; });
#endif
        assert(ready || WRONG == 1);
    }
    other.join();
}

void any_condition()
{
    static std::shared_mutex mutex;
    static std::condition_variable_any changed;
    static int state = 0;
    std::jthread other([] {
        {
            std::unique_lock lock(mutex);
            state = 1;
        }
#if WRONG != 2
        changed.notify_all();
#endif
    });
    std::shared_lock lock(mutex);
    changed.wait(lock, [] { return state == 1; });
}

void with_time()
{
    static std::mutex mutex;
    static std::condition_variable changed;
    static bool ready = false;
    std::jthread other([] {
        std::lock_guard lock(mutex);
        ready = true;
        changed.notify_one();
    });
    std::unique_lock lock(mutex);
    bool in_time = changed.wait_for(lock, 1ms, [] { return ready; });
    assert(in_time == ready);
}

void latch()
{
    static int value = 0;
    std::latch done(1);
    std::thread other([&] {
#if WRONG == 3
        done.count_down();
        value = 5;
#else
        value = 5;
        done.count_down();
#endif
    });
    done.wait();
    assert(value == 5 || WRONG == 3);
    other.join();
}

void barrier()
{
    static int values[2] = {}, rounds = 0;
    std::barrier meet(2, []() noexcept { rounds++; });
    auto work = [&](int me) {
        values[me] = me + 1;
#if WRONG == 4
        (void)meet.arrive();
#else
        meet.arrive_and_wait();
#endif
        assert(values[1 - me] == 2 - me || WRONG == 4);
#if WRONG != 4
        meet.arrive_and_wait();
#endif
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    assert(rounds == 2 || WRONG == 4);
}

void semaphore()
{
    static int value = 0;
    std::binary_semaphore filled(0);
    std::counting_semaphore<4> room(2);
    std::thread other([&] {
        room.acquire();
        value = 3;
        filled.release();
    });
    filled.acquire();
#if WRONG == 5
    filled.acquire();
#endif
    assert(value == 3);
    assert(room.try_acquire());
    assert(!room.try_acquire_for(1ms) || true);
    other.join();
}

void atomic_wait()
{
    static int value = 0;
    static std::atomic<int> state { 0 };
    static std::atomic_flag flag;
    std::thread other([] {
        value = 1;
        state.store(1, WRONG == 6 ? std::memory_order_relaxed : std::memory_order_release);
        state.notify_one();
        flag.wait(false);
    });
    state.wait(0);
    assert(value == 1);
    flag.test_and_set();
    flag.notify_all();
    other.join();
}

enum class Stage { before, after };
struct Place {
    short x, y;
    bool operator==(const Place &) const = default;
};

/// Of what is no number, and of what is no atomic object.
void atomic_wait_of_others()
{
    static std::atomic<Stage> stage;
    static std::atomic<Place> place;
    static int number;
    std::thread other([] {
        place.store({ 1, 2 });
        place.notify_all();
#if WRONG != 7
        stage = Stage::after;
#endif
        stage.notify_one();
        std::atomic_ref reference(number);
        reference.store(1, std::memory_order_release);
        reference.notify_one();
    });
    std::atomic_ref(number).wait(0, std::memory_order_acquire);
    place.wait({});
    stage.wait(Stage::before);
    assert(place.load().y == 2 && stage == Stage::after);
    other.join();
}

int main() { PART(); }
