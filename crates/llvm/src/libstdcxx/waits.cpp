// Clocks, and what futures wait by.

#include <cerrno>
#include <chrono>
#include <ctime>
#include <future>
#include <random>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void selvedge_assume(int);
extern "C" unsigned arc4random() noexcept;

namespace std {

// ---- random numbers that are any ----

void random_device::_M_init(const std::string &) { }
void random_device::_M_fini() { }
random_device::result_type random_device::_M_getval() { return arc4random(); }
double random_device::_M_getentropy() const noexcept { return 32; }

namespace chrono {
inline namespace _V2 {
static nanoseconds now_by(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    // Nobody knows what time it is, but that sums with it are numbers. One unknown number is enough for that.
    return nanoseconds(now.tv_sec & 0x3fffffffffffffff);
}
system_clock::time_point system_clock::now() noexcept { return time_point(duration(now_by(CLOCK_REALTIME))); }
// To a thread, it does not run backwards.
static thread_local nanoseconds seen_last;
steady_clock::time_point steady_clock::now() noexcept
{
    nanoseconds now = now_by(CLOCK_MONOTONIC);
    selvedge_assume(now >= seen_last);
    seen_last = now;
    return time_point(duration(now));
}
} // namespace _V2
} // namespace chrono

// A coroutine that does nothing.
extern "C" void __selvedge_cpp_nothing(void *) { }

// `std::lock` of two locks of mutexes.
extern "C" void __selvedge_cpp_lock_two(mutex &one, mutex &other);
extern "C" void __selvedge_cpp_lock_both(unique_lock<mutex> &one, unique_lock<mutex> &other)
{
    for (auto *lock : { &one, &other }) {
        if (!lock->mutex())
            __throw_system_error(1);
        if (lock->owns_lock())
            __throw_system_error(35);
    }
    __selvedge_cpp_lock_two(*one.mutex(), *other.mutex());
    one = unique_lock<mutex>(*one.mutex(), adopt_lock);
    other = unique_lock<mutex>(*other.mutex(), adopt_lock);
}

constexpr int FUTEX_WAIT = 0, FUTEX_WAKE = 1;

// Whether it was woken before its time was up.
static bool wait_at(unsigned *word, unsigned value, bool has_end, chrono::seconds s, chrono::nanoseconds ns)
{
    timespec end = {s.count(), ns.count()};
    long result = syscall(SYS_futex, word, FUTEX_WAIT, value, has_end ? &end : nullptr);
    return result == 0 || errno != ETIMEDOUT;
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until(
    unsigned *word, unsigned value, bool has_end, chrono::seconds s, chrono::nanoseconds ns)
{
    return wait_at(word, value, has_end, s, ns);
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(
    unsigned *word, unsigned value, bool has_end, chrono::seconds s, chrono::nanoseconds ns)
{
    return wait_at(word, value, has_end, s, ns);
}
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, __INT_MAX__);
}

// A thread that comes before a future is ready waits until it is. Whoever makes it ready always tells. The uppermost bit
// is set by those who wait for some time only.
extern "C" void __selvedge_cpp_ready(const unsigned *status, unsigned ready, memory_order order)
{
    unsigned now = __atomic_load_n(status, __ATOMIC_ACQUIRE);
    if ((now & 0x7fffffffu) != ready)
        __selvedge_block(2);
}

// Futures that become ready at the end of a thread.
namespace {
struct AtThreadExit {
    __at_thread_exit_elt *first = nullptr;
    ~AtThreadExit()
    {
        while (__at_thread_exit_elt *one = first) {
            first = one->_M_next;
            one->_M_cb(one);
        }
    }
};
thread_local AtThreadExit at_thread_exit;
} // namespace

void __future_base::_State_baseV2::_Make_ready::_S_run(void *argument)
{
    unique_ptr<_Make_ready> one { static_cast<_Make_ready *>(argument) };
    if (auto state = one->_M_shared_state.lock())
        state->_M_status._M_store_notify_all(_Status::__ready, memory_order_release);
}
void __future_base::_State_baseV2::_Make_ready::_M_set()
{
    _M_cb = _S_run;
    _M_next = at_thread_exit.first;
    at_thread_exit.first = this;
}

// ---- lists ----

namespace __detail {
void _List_node_base::swap(_List_node_base &one, _List_node_base &other) noexcept
{
    // The last node of each, or none.
    _List_node_base *of_one = one._M_next == &one ? nullptr : one._M_prev;
    _List_node_base *of_other = other._M_next == &other ? nullptr : other._M_prev;
    _List_node_base first_of_one = one, first_of_other = other;
    auto set = [](_List_node_base &list, _List_node_base *last, const _List_node_base &links) {
        if (!last) {
            list._M_next = list._M_prev = &list;
            return;
        }
        list._M_next = links._M_next;
        list._M_prev = last;
        list._M_next->_M_prev = &list;
        last->_M_next = &list;
    };
    set(one, of_other, first_of_other);
    set(other, of_one, first_of_one);
}
void _List_node_base::_M_reverse() noexcept
{
    _List_node_base *node = this;
    do {
        _List_node_base *next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}
} // namespace __detail
// ---- what happens where a thread ends, and locks of functions for `shared_ptr` (`atomic_load`, …) ----

namespace {
struct Notification : __at_thread_exit_elt {
    condition_variable *changed;
    mutex *held;
};

void notify_at_end(void *one)
{
    auto *note = static_cast<Notification *>(one);
    note->held->unlock();
    note->changed->notify_all();
    delete note;
}

// One for each pointer, as a rule; two that share one are ordered more than they need be, as in libstdc++,
// which has 16.
constexpr unsigned LOCKS = 251;
pthread_mutex_t pointer_locks[LOCKS];

unsigned char lock_of(const void *pointer)
{
    auto address = reinterpret_cast<unsigned long>(pointer);
    return ((address >> 32) * 61 + (address >> 4)) % LOCKS;
}
} // namespace

void notify_all_at_thread_exit(condition_variable &changed, unique_lock<mutex> lock)
{
    auto *note = new Notification;
    note->_M_cb = notify_at_end;
    note->changed = &changed;
    note->held = lock.release();
    note->_M_next = at_thread_exit.first;
    at_thread_exit.first = note;
}

_Sp_locker::_Sp_locker(const void *pointer) noexcept : _M_key1(lock_of(pointer)), _M_key2(LOCKS)
{
    pthread_mutex_lock(&pointer_locks[_M_key1]);
}

_Sp_locker::_Sp_locker(const void *one, const void *other) noexcept
    : _M_key1(lock_of(one)), _M_key2(lock_of(other))
{
    if (_M_key2 < _M_key1)
        swap(_M_key1, _M_key2);
    pthread_mutex_lock(&pointer_locks[_M_key1]);
    if (_M_key2 != _M_key1)
        pthread_mutex_lock(&pointer_locks[_M_key2]);
}

_Sp_locker::~_Sp_locker()
{
    if (_M_key2 != LOCKS && _M_key2 != _M_key1)
        pthread_mutex_unlock(&pointer_locks[_M_key2]);
    pthread_mutex_unlock(&pointer_locks[_M_key1]);
}

} // namespace std
