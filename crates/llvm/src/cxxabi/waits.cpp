// What stands for functions of headers that wait, whichever headers a program has.

#include <pthread.h>

extern "C" {

void selvedge_assume(int);
int __selvedge_choose(int);
// Sleeps unless the value at the address is another one by now; ends when it is woken.
void __selvedge_sleep_1(const void *address, unsigned char value);
void __selvedge_sleep_2(const void *address, unsigned short value);
void __selvedge_sleep_4(const void *address, unsigned value);
void __selvedge_sleep_8(const void *address, unsigned long value);
// Wakes so many threads that sleep at the address.
int __selvedge_futex_wake(const void *address, int count);

// `atomic::wait` of values that headers compare as numbers. A thread that is woken looks again.
#define SELVEDGE_WAIT(name, type, width, number)                                                    \
    void __selvedge_cpp_wait_##name(type const *address, type old, int order)                       \
    {                                                                                               \
        for (;;) {                                                                                  \
            type now = order == __ATOMIC_SEQ_CST ? __atomic_load_n(address, __ATOMIC_SEQ_CST)       \
                : order == __ATOMIC_RELAXED      ? __atomic_load_n(address, __ATOMIC_RELAXED)       \
                                                 : __atomic_load_n(address, __ATOMIC_ACQUIRE);      \
            if (now != old)                                                                         \
                return;                                                                             \
            __selvedge_sleep_##width(address, (number)old);                                         \
        }                                                                                           \
    }
SELVEDGE_WAIT(b, bool, 1, unsigned char)
SELVEDGE_WAIT(1, unsigned char, 1, unsigned char)
SELVEDGE_WAIT(2, unsigned short, 2, unsigned short)
SELVEDGE_WAIT(4, unsigned, 4, unsigned)
SELVEDGE_WAIT(8, unsigned long, 8, unsigned long)
SELVEDGE_WAIT(p, char *, 8, unsigned long)
#undef SELVEDGE_WAIT

// The same through an `atomic_ref`, which knows where the value is.
#define SELVEDGE_WAIT(name, type)                                                                   \
    void __selvedge_cpp_wait_at_##name(type const *const *reference, type old, int order)           \
    {                                                                                               \
        __selvedge_cpp_wait_##name(*reference, old, order);                                         \
    }
SELVEDGE_WAIT(b, bool)
SELVEDGE_WAIT(1, unsigned char)
SELVEDGE_WAIT(2, unsigned short)
SELVEDGE_WAIT(4, unsigned)
SELVEDGE_WAIT(8, unsigned long)
SELVEDGE_WAIT(p, char *)
#undef SELVEDGE_WAIT
void __selvedge_cpp_notify_one_at(const void *const *reference) { __selvedge_futex_wake(*reference, 1); }
void __selvedge_cpp_notify_all_at(const void *const *reference)
{
    __selvedge_futex_wake(*reference, __INT_MAX__);
}
void __selvedge_cpp_notify_one(const void *address) { __selvedge_futex_wake(address, 1); }
void __selvedge_cpp_notify_all(const void *address) { __selvedge_futex_wake(address, __INT_MAX__); }

} // extern "C"

template <class... Rest> [[gnu::always_inline]] static inline bool takes_all(pthread_mutex_t *first, Rest... rest)
{
    if (pthread_mutex_trylock(first) != 0)
        return false;
    if constexpr (sizeof...(rest) > 0) {
        if (!takes_all(rest...)) {
            pthread_mutex_unlock(first);
            return false;
        }
    }
    return true;
}

// `std::lock` of mutexes: takes one, and tries the others. If one of those is taken, it gives back what it
// has and waits for that: the execution in which it gets them all is one in which it came later. Nothing may
// be read in between: that would be taken for what it waits for.
template <class... Rest> [[gnu::always_inline]] static inline void lock_all(pthread_mutex_t *first, Rest... rest)
{
    pthread_mutex_lock(first);
    if (!takes_all(rest...)) {
        pthread_mutex_unlock(first);
        __selvedge_block(1);
    }
}

extern "C" {

using Lock = pthread_mutex_t *;
void __selvedge_cpp_lock_four(Lock a, Lock b, Lock c, Lock d) { lock_all(a, b, c, d); }
void __selvedge_cpp_lock_five(Lock a, Lock b, Lock c, Lock d, Lock e) { lock_all(a, b, c, d, e); }
void __selvedge_cpp_lock_six(Lock a, Lock b, Lock c, Lock d, Lock e, Lock f) { lock_all(a, b, c, d, e, f); }

} // extern "C"
