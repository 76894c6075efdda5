// What else the headers of libc++ leave to its library: counted pointers, strings, hashes, sorting.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <pthread.h>

extern "C" unsigned arc4random() noexcept;

namespace std {

// ---- counted pointers ----

__shared_count::~__shared_count() { }
__shared_weak_count::~__shared_weak_count() { }
void __shared_weak_count::__release_weak() noexcept
{
    if (__libcpp_atomic_refcount_decrement(__shared_weak_owners_) == -1)
        __on_zero_shared_weak();
}
__shared_weak_count *__shared_weak_count::lock() noexcept
{
    long owners = __atomic_load_n(&__shared_owners_, __ATOMIC_SEQ_CST);
    while (owners != -1)
        if (__atomic_compare_exchange_n(
                &__shared_owners_, &owners, owners + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return this;
    return nullptr;
}
const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept { return nullptr; }

// Functions for `shared_ptr` (`atomic_load`, …). One lock for each pointer, as a rule; two that share one
// are ordered more than they need be, as in libc++, which has 32.
namespace {
constexpr unsigned LOCKS = 251;
pthread_mutex_t pointer_locks[LOCKS];
} // namespace

inline namespace __1 {
__sp_mut &__get_sp_mut(const void *pointer)
{
    auto address = reinterpret_cast<unsigned long>(pointer);
    return reinterpret_cast<__sp_mut &>(pointer_locks[((address >> 32) * 61 + (address >> 4)) % LOCKS]);
}
} // namespace __1
void __sp_mut::lock() noexcept { pthread_mutex_lock(reinterpret_cast<pthread_mutex_t *>(this)); }
void __sp_mut::unlock() noexcept { pthread_mutex_unlock(reinterpret_cast<pthread_mutex_t *>(this)); }

// ---- hashes ----

inline namespace __1 {
size_t __hash_memory(_LIBCPP_NOESCAPE const void *data, size_t length) noexcept
{
    auto *bytes = static_cast<const unsigned char *>(data);
    size_t hash = 14695981039346656037ul;
    for (size_t at = 0; at < length; at++)
        hash = (hash ^ bytes[at]) * 1099511628211ul;
    return hash;
}

size_t __next_prime(size_t least)
{
    auto is_prime = [](size_t number) {
        for (size_t by = 2; by * by <= number; by++)
            if (number % by == 0)
                return false;
        return true;
    };
    if (least <= 2)
        return least == 0 ? 0 : 2;
    while (!is_prime(least))
        least++;
    return least;
}
} // namespace __1

// ---- random numbers that are any ----

random_device::random_device(const string &) { }
random_device::~random_device() { }
random_device::result_type random_device::operator()() { return arc4random(); }
double random_device::entropy() const noexcept { return 32; }

// ---- strings ----

template class basic_string<char>;
template string operator+ <char, char_traits<char>, allocator<char>>(const char *, const string &);

template <class Number> static string written(const char *format, Number number)
{
    char text[512];
    int length = snprintf(text, sizeof text, format, number);
    return string(text, static_cast<size_t>(length));
}

template <class Number, class Read>
static Number read_number(const char *who, const string &text, size_t *end, Read read)
{
    char *stop = nullptr;
    int before = errno;
    errno = 0;
    auto number = read(text.c_str(), &stop);
    int error = errno;
    errno = before;
    if (stop == text.c_str())
        throw invalid_argument(string(who) + ": no conversion");
    if (error == ERANGE || static_cast<decltype(number)>(static_cast<Number>(number)) != number)
        throw out_of_range(string(who) + ": out of range");
    if (end)
        *end = static_cast<size_t>(stop - text.c_str());
    return static_cast<Number>(number);
}

inline namespace __1 {
string to_string(int number) { return written("%d", number); }
string to_string(unsigned number) { return written("%u", number); }
string to_string(long number) { return written("%ld", number); }
string to_string(unsigned long number) { return written("%lu", number); }
string to_string(long long number) { return written("%lld", number); }
string to_string(unsigned long long number) { return written("%llu", number); }
string to_string(float number) { return written("%f", static_cast<double>(number)); }
string to_string(double number) { return written("%f", number); }

#define SELVEDGE_READ(type, name, by)                                                         \
    type name(const string &text, size_t *end, int base)                                      \
    {                                                                                         \
        auto read = [=](const char *from, char **stop) { return by(from, stop, base); };      \
        return read_number<type>(#name, text, end, read);                                     \
    }
SELVEDGE_READ(int, stoi, strtol)
SELVEDGE_READ(long, stol, strtol)
SELVEDGE_READ(unsigned long, stoul, strtoul)
SELVEDGE_READ(long long, stoll, strtoll)
SELVEDGE_READ(unsigned long long, stoull, strtoull)
double stod(const string &text, size_t *end)
{
    auto read = [](const char *from, char **stop) { return strtod(from, stop); };
    return read_number<double>("stod", text, end, read);
}

// ---- sorting of numbers, which headers leave to the library: how is not seen ----

template <class Compare, class Iterator> void __sort(Iterator begin, Iterator end, Compare)
{
    make_heap(begin, end);
    sort_heap(begin, end);
}
#define SELVEDGE_SORT(type) template void __sort<__less<type> &, type *>(type *, type *, __less<type> &);
SELVEDGE_SORT(char)
SELVEDGE_SORT(signed char)
SELVEDGE_SORT(unsigned char)
SELVEDGE_SORT(short)
SELVEDGE_SORT(unsigned short)
SELVEDGE_SORT(int)
SELVEDGE_SORT(unsigned)
SELVEDGE_SORT(long)
SELVEDGE_SORT(unsigned long)
SELVEDGE_SORT(long long)
SELVEDGE_SORT(unsigned long long)
SELVEDGE_SORT(float)
SELVEDGE_SORT(double)
} // namespace __1

} // namespace std
