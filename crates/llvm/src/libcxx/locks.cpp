// Threads, mutexes, condition variables. What waits does so by POSIX functions, which have their own meaning
// to the machine that runs the program.
//
// Headers know how timed and shared mutexes are made: a mutex, conditions, a number. Their functions are
// here as headers take them to be; where `Reduction::Library` holds, what is named `__selvedge_libcxx_…`
// stands for all functions of such a mutex, those in headers included, and takes the first bytes of it for a
// lock of POSIX.

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <pthread.h>

namespace std {

// ---- threads ----

thread::~thread()
{
    if (joinable())
        terminate();
}
void thread::join()
{
    if (!joinable())
        __throw_system_error(22, "thread::join failed");
    if (int error = pthread_join(__t_, nullptr))
        __throw_system_error(error, "thread::join failed");
    __t_ = 0;
}
void thread::detach()
{
    if (!joinable())
        __throw_system_error(22, "thread::detach failed");
    pthread_detach(__t_);
    __t_ = 0;
}
unsigned thread::hardware_concurrency() noexcept { return 2; }

inline namespace __1 {
namespace this_thread {
void sleep_for(const chrono::nanoseconds &) { }
} // namespace this_thread
} // namespace __1

// ---- mutexes ----

void mutex::lock() { pthread_mutex_lock(&__m_); }
bool mutex::try_lock() noexcept { return pthread_mutex_trylock(&__m_) == 0; }
void mutex::unlock() noexcept { pthread_mutex_unlock(&__m_); }

recursive_mutex::recursive_mutex() { __libcpp_recursive_mutex_init(&__m_); }
recursive_mutex::~recursive_mutex() { }
void recursive_mutex::lock() { pthread_mutex_lock(&__m_); }
bool recursive_mutex::try_lock() noexcept { return pthread_mutex_trylock(&__m_) == 0; }
void recursive_mutex::unlock() noexcept { pthread_mutex_unlock(&__m_); }

condition_variable::~condition_variable() { }
void condition_variable::notify_one() noexcept { pthread_cond_signal(&__cv_); }
void condition_variable::notify_all() noexcept { pthread_cond_broadcast(&__cv_); }
void condition_variable::wait(unique_lock<mutex> &lock) noexcept
{
    if (!lock.owns_lock())
        __throw_system_error(1, "condition_variable::wait: mutex not locked");
    pthread_cond_wait(&__cv_, lock.mutex()->native_handle());
}
void condition_variable::__do_timed_wait(
    unique_lock<mutex> &lock, chrono::time_point<chrono::system_clock, chrono::nanoseconds>) noexcept
{
    if (!lock.owns_lock())
        __throw_system_error(1, "condition_variable::timed wait: mutex not locked");
    timespec end = {};
    pthread_cond_timedwait(&__cv_, lock.mutex()->native_handle(), &end);
}

timed_mutex::timed_mutex() : __locked_(false) { }
timed_mutex::~timed_mutex() { }
void timed_mutex::lock()
{
    unique_lock<mutex> lock(__m_);
    while (__locked_)
        __cv_.wait(lock);
    __locked_ = true;
}
bool timed_mutex::try_lock() noexcept
{
    unique_lock<mutex> lock(__m_);
    if (__locked_)
        return false;
    __locked_ = true;
    return true;
}
void timed_mutex::unlock() noexcept
{
    lock_guard<mutex> lock(__m_);
    __locked_ = false;
    __cv_.notify_one();
}

recursive_timed_mutex::recursive_timed_mutex() : __count_(0) { }
recursive_timed_mutex::~recursive_timed_mutex() { }
void recursive_timed_mutex::lock()
{
    auto self = this_thread::get_id();
    unique_lock<mutex> lock(__m_);
    if (__id_ != self) {
        while (__count_ != 0)
            __cv_.wait(lock);
        __id_ = self;
    }
    __count_++;
}
bool recursive_timed_mutex::try_lock() noexcept
{
    auto self = this_thread::get_id();
    unique_lock<mutex> lock(__m_);
    if (__id_ != self && __count_ != 0)
        return false;
    __id_ = self;
    __count_++;
    return true;
}
void recursive_timed_mutex::unlock() noexcept
{
    lock_guard<mutex> lock(__m_);
    if (--__count_ == 0) {
        __id_ = __thread_id();
        __cv_.notify_one();
    }
}

// ---- locks that readers share ----

__shared_mutex_base::__shared_mutex_base() : __state_(0) { }
void __shared_mutex_base::lock()
{
    unique_lock<mutex> lock(__mut_);
    while (__state_ & __write_entered_)
        __gate1_.wait(lock);
    __state_ |= __write_entered_;
    while (__state_ & __n_readers_)
        __gate2_.wait(lock);
}
bool __shared_mutex_base::try_lock()
{
    unique_lock<mutex> lock(__mut_);
    if (__state_ != 0)
        return false;
    __state_ = __write_entered_;
    return true;
}
void __shared_mutex_base::unlock()
{
    lock_guard<mutex> lock(__mut_);
    __state_ = 0;
    __gate1_.notify_all();
}
void __shared_mutex_base::lock_shared()
{
    unique_lock<mutex> lock(__mut_);
    while ((__state_ & __write_entered_) || (__state_ & __n_readers_) == __n_readers_)
        __gate1_.wait(lock);
    __state_++;
}
bool __shared_mutex_base::try_lock_shared()
{
    unique_lock<mutex> lock(__mut_);
    if ((__state_ & __write_entered_) || (__state_ & __n_readers_) == __n_readers_)
        return false;
    __state_++;
    return true;
}
void __shared_mutex_base::unlock_shared()
{
    lock_guard<mutex> lock(__mut_);
    unsigned readers = (--__state_) & __n_readers_;
    if (__state_ & __write_entered_) {
        if (readers == 0)
            __gate2_.notify_one();
    } else if (readers == __n_readers_ - 1) {
        __gate1_.notify_one();
    }
}

shared_timed_mutex::shared_timed_mutex() : __base_() { }
void shared_timed_mutex::lock() { __base_.lock(); }
bool shared_timed_mutex::try_lock() { return __base_.try_lock(); }
void shared_timed_mutex::unlock() { __base_.unlock(); }
void shared_timed_mutex::lock_shared() { __base_.lock_shared(); }
bool shared_timed_mutex::try_lock_shared() { return __base_.try_lock_shared(); }
void shared_timed_mutex::unlock_shared() { __base_.unlock_shared(); }

} // namespace std

// ---- the same, as locks of POSIX ----

extern "C" {

// `std::lock` of two locks of mutexes.
void __selvedge_cpp_lock_two(std::mutex &one, std::mutex &other);
void __selvedge_cpp_lock_both(std::unique_lock<std::mutex> &one, std::unique_lock<std::mutex> &other)
{
    for (auto *lock : { &one, &other }) {
        if (!lock->mutex())
            std::__throw_system_error(1, "unique_lock::lock: references null mutex");
        if (lock->owns_lock())
            std::__throw_system_error(35, "unique_lock::lock: already locked");
    }
    __selvedge_cpp_lock_two(*one.mutex(), *other.mutex());
    one = std::unique_lock<std::mutex>(*one.mutex(), std::adopt_lock);
    other = std::unique_lock<std::mutex>(*other.mutex(), std::adopt_lock);
}

void __selvedge_libcxx_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
bool __selvedge_libcxx_try_lock(pthread_mutex_t *mutex) { return pthread_mutex_trylock(mutex) == 0; }
bool __selvedge_libcxx_try_lock_in_time(pthread_mutex_t *mutex, const void *)
{
    timespec end = {};
    return pthread_mutex_timedlock(mutex, &end) == 0;
}
void __selvedge_libcxx_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
void __selvedge_libcxx_recursive(pthread_mutex_t *mutex) { std::__libcpp_recursive_mutex_init(mutex); }

void __selvedge_libcxx_shared(pthread_rwlock_t *lock) { pthread_rwlock_init(lock, nullptr); }
void __selvedge_libcxx_write(pthread_rwlock_t *lock) { pthread_rwlock_wrlock(lock); }
bool __selvedge_libcxx_try_write(pthread_rwlock_t *lock) { return pthread_rwlock_trywrlock(lock) == 0; }
bool __selvedge_libcxx_write_in_time(pthread_rwlock_t *lock, const void *)
{
    timespec end = {};
    return pthread_rwlock_timedwrlock(lock, &end) == 0;
}
void __selvedge_libcxx_read(pthread_rwlock_t *lock) { pthread_rwlock_rdlock(lock); }
bool __selvedge_libcxx_try_read(pthread_rwlock_t *lock) { return pthread_rwlock_tryrdlock(lock) == 0; }
bool __selvedge_libcxx_read_in_time(pthread_rwlock_t *lock, const void *)
{
    timespec end = {};
    return pthread_rwlock_timedrdlock(lock, &end) == 0;
}
void __selvedge_libcxx_leave(pthread_rwlock_t *lock) { pthread_rwlock_unlock(lock); }

} // extern "C"

static_assert(sizeof(pthread_rwlock_t) <= sizeof(std::__shared_mutex_base));
