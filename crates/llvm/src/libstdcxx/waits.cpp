// Clocks, and what futures wait by.

#include <cerrno>
#include <chrono>
#include <ctime>
#include <future>
#include <sys/syscall.h>
#include <unistd.h>

namespace std {

namespace chrono {
inline namespace _V2 {
static nanoseconds now_by(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    // Nobody knows what time it is, but that sums with it are numbers.
    return seconds(now.tv_sec & 0x7fffffff) + nanoseconds(now.tv_nsec & 0x1fffffff);
}
system_clock::time_point system_clock::now() noexcept { return time_point(duration(now_by(CLOCK_REALTIME))); }
steady_clock::time_point steady_clock::now() noexcept { return time_point(duration(now_by(CLOCK_MONOTONIC))); }
} // namespace _V2
} // namespace chrono

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
} // namespace std
