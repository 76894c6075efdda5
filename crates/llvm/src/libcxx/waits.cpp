// What waits: `call_once`, `atomic::wait`, latches, semaphores, barriers; and clocks.

#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <latch>
#include <mutex>
#include <semaphore>
#include <sys/syscall.h>
#include <unistd.h>

namespace std {

// ---- once ----

inline namespace __1 {
// Whoever looked and saw that it is not done looks again here. If it is done now, the thread could have
// looked later; if somebody is at it, it waits until that is over.
void __call_once(volatile once_flag::_State_type &flag, void *argument, void (*function)(void *))
{
    auto *state = const_cast<once_flag::_State_type *>(&flag);
    once_flag::_State_type found = once_flag::_Unset;
    if (!__atomic_compare_exchange_n(
            state, &found, once_flag::_Pending, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        __selvedge_block(found == once_flag::_Complete ? 0 : 1);
        __builtin_unreachable();
    }
    try {
        function(argument);
    } catch (...) {
        __atomic_store_n(state, static_cast<once_flag::_State_type>(once_flag::_Unset), __ATOMIC_RELEASE);
        throw;
    }
    __atomic_store_n(state, ~static_cast<once_flag::_State_type>(0), __ATOMIC_RELEASE);
}

// ---- `atomic::wait`, as headers call it ----

// Where a value is not one that the system can wait for, threads wait for a number of notifications. One for
// each address, as a rule; threads at others that share it are woken in vain.
static int *notifications_at(const void *address)
{
    static int notifications[251];
    auto number = reinterpret_cast<unsigned long>(address);
    return &notifications[((number >> 32) * 61 + number) % 251];
}
__cxx_contention_t __atomic_monitor_global(const void *address) noexcept
{
    return __atomic_load_n(notifications_at(address), __ATOMIC_ACQUIRE);
}
void __atomic_wait_global_table(const void *address, __cxx_contention_t seen) noexcept
{
    __selvedge_sleep_4(notifications_at(address), static_cast<unsigned>(seen));
}
void __atomic_wait_global_table_with_timeout(const void *address, __cxx_contention_t seen, uint64_t) noexcept
{
    // Time may run out.
    if (__selvedge_choose(2))
        __selvedge_sleep_4(notifications_at(address), static_cast<unsigned>(seen));
}
void __atomic_notify_all_global_table(const void *address) noexcept
{
    int *notifications = notifications_at(address);
    __atomic_fetch_add(notifications, 1, __ATOMIC_RELEASE);
    __selvedge_futex_wake(notifications, __INT_MAX__);
    // Whoever waits for it as another type may sleep there.
    __selvedge_futex_wake(address, __INT_MAX__);
}
void __atomic_notify_one_global_table(const void *address) noexcept
{
    __atomic_notify_all_global_table(address);
}

template <> void __atomic_wait_native<4>(const void *address, const void *old) noexcept
{
    __selvedge_sleep_4(address, *static_cast<const unsigned *>(old));
}
template <>
void __atomic_wait_native_with_timeout<4>(const void *address, const void *old, uint64_t) noexcept
{
    if (__selvedge_choose(2))
        __selvedge_sleep_4(address, *static_cast<const unsigned *>(old));
}
template <> void __atomic_notify_one_native<4>(const void *address) noexcept
{
    __selvedge_futex_wake(address, 1);
}
template <> void __atomic_notify_all_native<4>(const void *address) noexcept
{
    __selvedge_futex_wake(address, __INT_MAX__);
}

// ---- barriers ----

class __barrier_algorithm_base {
public:
    ptrdiff_t &expected;
    int arrived = 0;
    explicit __barrier_algorithm_base(ptrdiff_t &expected) : expected(expected) { }
};
__barrier_algorithm_base *__construct_barrier_algorithm_base(ptrdiff_t &expected)
{
    return new __barrier_algorithm_base(expected);
}
void __destroy_barrier_algorithm_base(_LIBCPP_NOESCAPE __barrier_algorithm_base *barrier) noexcept
{
    delete barrier;
}
// Whether whoever arrives is the last one.
bool __arrive_barrier_algorithm_base(
    _LIBCPP_NOESCAPE __barrier_algorithm_base *barrier, __barrier_phase_t) noexcept
{
    ptrdiff_t expected = barrier->expected;
    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) != expected)
        return false;
    __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
    return true;
}
} // namespace __1

// ---- clocks ----

namespace chrono {
static nanoseconds now_by(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    // Nobody knows what time it is, but that sums with it are numbers. One unknown number is enough for that.
    return nanoseconds(now.tv_sec & 0x3fffffffffffffff);
}
system_clock::time_point system_clock::now() noexcept
{
    return time_point(duration_cast<duration>(now_by(CLOCK_REALTIME)));
}
time_t system_clock::to_time_t(const time_point &time) noexcept
{
    return duration_cast<seconds>(time.time_since_epoch()).count();
}
system_clock::time_point system_clock::from_time_t(time_t time) noexcept { return time_point(seconds(time)); }
// To a thread, it does not run backwards.
static thread_local nanoseconds seen_last;
steady_clock::time_point steady_clock::now() noexcept
{
    nanoseconds now = now_by(CLOCK_MONOTONIC);
    selvedge_assume(now >= seen_last);
    seen_last = now;
    return time_point(now);
}
} // namespace chrono

} // namespace std

// ---- what stands for functions of headers where `Reduction::Library` holds ----

extern "C" {

// Between two looks of `poll_with_backoff`, so much time has gone by that a thread goes to sleep, or its
// time is over.
long __selvedge_libcxx_later()
{
    static thread_local long time;
    return time += 1l << 40;
}

// `atomic::wait` where whoever changes the value always tells.
void __selvedge_libcxx_change_1(const unsigned char *address, unsigned char old, int order)
{
    unsigned char now = order == __ATOMIC_RELAXED ? __atomic_load_n(address, __ATOMIC_RELAXED)
                                                  : __atomic_load_n(address, __ATOMIC_ACQUIRE);
    if (now == old)
        __selvedge_block(4);
}
void __selvedge_libcxx_change_4(const unsigned *address, unsigned old, int order)
{
    unsigned now = order == __ATOMIC_RELAXED ? __atomic_load_n(address, __ATOMIC_RELAXED)
                                             : __atomic_load_n(address, __ATOMIC_ACQUIRE);
    if (now == old)
        __selvedge_block(1);
}
void __selvedge_libcxx_tell(const void *) { }

void __selvedge_libcxx_acquire(long *left)
{
    long now = __atomic_load_n(left, __ATOMIC_RELAXED);
    if (now == 0)
        __selvedge_block(3);
    else if (!__atomic_compare_exchange_n(left, &now, now - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        __selvedge_block(0);
}
// Time is over where there is nothing left; if something comes in time, the thread could have looked later.
bool __selvedge_libcxx_try_acquire(long *left, const void *)
{
    long now = __atomic_load_n(left, __ATOMIC_RELAXED);
    if (now == 0)
        return false;
    if (!__atomic_compare_exchange_n(left, &now, now - 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        __selvedge_block(0);
    return true;
}
void __selvedge_libcxx_release(long *left, long count) { __atomic_fetch_add(left, count, __ATOMIC_RELEASE); }

void __selvedge_libcxx_count_down(long *left, long count)
{
    __atomic_fetch_sub(left, count, __ATOMIC_RELEASE);
}
void __selvedge_libcxx_latch(const long *left)
{
    if (__atomic_load_n(left, __ATOMIC_ACQUIRE) != 0)
        __selvedge_block(2);
}

} // extern "C"
