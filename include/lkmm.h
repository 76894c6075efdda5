/* lkmm.h: the Linux kernel's words for shared memory, for programs that are checked with `-m lkmm`.
 *
 *     #include <lkmm.h>
 *     #include <pthread.h>
 *
 *     int data, flag;
 *
 *     void *writer(void *arg) { data = 1; smp_store_release(&flag, 1); return arg; }
 *     void *reader(void *arg) { if (smp_load_acquire(&flag)) assert(data == 1); return arg; }
 *
 * `selvedge check` finds this header by itself. Under other models the same words mean what they come down to in C:
 * relaxed accesses, read-modify-writes and fences. The kernel's documentation says what each is for:
 * Documentation/memory-barriers.txt, Documentation/atomic_t.txt and tools/memory-model.
 *
 * RCU's read-side sections and grace periods, spin locks and smp_mb__after_spinlock are what the kernel's model says. Of
 * sections within each other, the outermost counts. call_rcu, SRCU and seqcounts are not there; who uses them is told so
 * when the program is compiled. Mutexes are made of acquiring and releasing accesses, which is less than the kernel
 * promises of an unlock that is followed by a lock.
 */
#ifndef SELVEDGE_LKMM_H
#define SELVEDGE_LKMM_H

#ifndef __SELVEDGE__
#error "lkmm.h is for programs that Selvedge checks"
#endif

#include <pthread.h>
#include <stdbool.h>

/* What the model tells apart and C does not; `selvedge check` knows them by their names. */
void __selvedge_before_atomic(void);
void __selvedge_after_atomic(void);
void __selvedge_rcu_lock(void);
void __selvedge_rcu_unlock(void);
void __selvedge_sync_rcu(void);
void __selvedge_locked(void);
void __selvedge_unlocking(void);
void __selvedge_after_spinlock(void);
void __selvedge_after_unlock_lock(void);
void __selvedge_atomic_add_4(volatile void *, int);
void __selvedge_atomic_and_4(volatile void *, int);
void __selvedge_atomic_or_4(volatile void *, int);
void __selvedge_atomic_xor_4(volatile void *, int);
void __selvedge_atomic_add_8(volatile void *, long long);
void __selvedge_atomic_and_8(volatile void *, long long);
void __selvedge_atomic_or_8(volatile void *, long long);
void __selvedge_atomic_xor_8(volatile void *, long long);
unsigned int __selvedge_cmpxchg_4(volatile void *, unsigned int, unsigned int);
unsigned int __selvedge_cmpxchg_relaxed_4(volatile void *, unsigned int, unsigned int);
unsigned int __selvedge_cmpxchg_acquire_4(volatile void *, unsigned int, unsigned int);
unsigned int __selvedge_cmpxchg_release_4(volatile void *, unsigned int, unsigned int);
unsigned long long __selvedge_cmpxchg_8(volatile void *, unsigned long long, unsigned long long);
unsigned long long __selvedge_cmpxchg_relaxed_8(volatile void *, unsigned long long, unsigned long long);
unsigned long long __selvedge_cmpxchg_acquire_8(volatile void *, unsigned long long, unsigned long long);
unsigned long long __selvedge_cmpxchg_release_8(volatile void *, unsigned long long, unsigned long long);

/* Marked accesses. */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define smp_store_mb(x, value)                                                                                         \
    do {                                                                                                               \
        WRITE_ONCE(x, value);                                                                                          \
        smp_mb();                                                                                                      \
    } while (0)

/* Fences. */
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__before_atomic() __selvedge_before_atomic()
#define smp_mb__after_atomic() __selvedge_after_atomic()
#define barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define cpu_relax() barrier()

/* Pointers that are published and followed. */
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, value) smp_store_release(&(p), (value))
#define RCU_INIT_POINTER(p, value) WRITE_ONCE(p, value)

#define __LKMM_WITHOUT(what) _Static_assert(0, what ": the model lkmm that comes with Selvedge has none of it")
#define call_rcu(head, function) __LKMM_WITHOUT("call_rcu")
#define srcu_read_lock(domain) __LKMM_WITHOUT("srcu_read_lock")
#define srcu_read_unlock(domain, index) __LKMM_WITHOUT("srcu_read_unlock")
#define synchronize_srcu(domain) __LKMM_WITHOUT("synchronize_srcu")

/* Read-side sections, which may be within each other, and grace periods. */
__attribute__((weak)) _Thread_local int __lkmm_sections;
static inline void rcu_read_lock(void)
{
    if (__lkmm_sections++ == 0) __selvedge_rcu_lock();
}
static inline void rcu_read_unlock(void)
{
    if (--__lkmm_sections == 0) __selvedge_rcu_unlock();
}
#define synchronize_rcu() __selvedge_sync_rcu()
#define synchronize_rcu_expedited() __selvedge_sync_rcu()
#define smp_mb__after_spinlock() __selvedge_after_spinlock()
#define smp_mb__after_unlock_lock() __selvedge_after_unlock_lock()

/* Read-modify-writes of any type. Without a suffix they are fully ordered, if they write. */
#define xchg(p, value) __atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST)
#define xchg_relaxed(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELAXED)
#define xchg_acquire(p, value) __atomic_exchange_n((p), (value), __ATOMIC_ACQUIRE)
#define xchg_release(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELEASE)

/* The value that was there. A compare-and-exchange that fails orders nothing. */
#define __LKMM_CMPXCHG(p, old, value, suffix)                                                                          \
    (__extension__({                                                                                                   \
        _Static_assert(sizeof(*(p)) == 4 || sizeof(*(p)) == 8, "cmpxchg is for 4 and 8 bytes");                        \
        __typeof__(p) __lkmm_p = (p);                                                                                  \
        __typeof__(*(p)) __lkmm_old = (old), __lkmm_new = (value);                                                     \
        (__typeof__(*(p)))__builtin_choose_expr(                                                                       \
            sizeof(*(p)) == 8,                                                                                         \
            __selvedge_cmpxchg##suffix##_8(__lkmm_p, (unsigned long long)__lkmm_old, (unsigned long long)__lkmm_new),  \
            __selvedge_cmpxchg##suffix##_4(__lkmm_p, (unsigned int)(unsigned long long)__lkmm_old,                     \
                                           (unsigned int)(unsigned long long)__lkmm_new));                             \
    }))
#define cmpxchg(p, old, value) __LKMM_CMPXCHG(p, old, value, )
#define cmpxchg_relaxed(p, old, value) __LKMM_CMPXCHG(p, old, value, _relaxed)
#define cmpxchg_acquire(p, old, value) __LKMM_CMPXCHG(p, old, value, _acquire)
#define cmpxchg_release(p, old, value) __LKMM_CMPXCHG(p, old, value, _release)

/* Whether it succeeded; if not, `*old` is the value that was there. */
#define __LKMM_TRY_CMPXCHG(p, old, value, suffix)                                                                      \
    (__extension__({                                                                                                   \
        __typeof__(old) __lkmm_expected = (old);                                                                       \
        __typeof__(*(p)) __lkmm_wanted = *__lkmm_expected;                                                             \
        __typeof__(*(p)) __lkmm_found = __LKMM_CMPXCHG(p, __lkmm_wanted, value, suffix);                               \
        if (__lkmm_found != __lkmm_wanted)                                                                             \
            *__lkmm_expected = __lkmm_found;                                                                           \
        __lkmm_found == __lkmm_wanted;                                                                                 \
    }))
#define try_cmpxchg(p, old, value) __LKMM_TRY_CMPXCHG(p, old, value, )
#define try_cmpxchg_relaxed(p, old, value) __LKMM_TRY_CMPXCHG(p, old, value, _relaxed)
#define try_cmpxchg_acquire(p, old, value) __LKMM_TRY_CMPXCHG(p, old, value, _acquire)
#define try_cmpxchg_release(p, old, value) __LKMM_TRY_CMPXCHG(p, old, value, _release)

/* Counters. */
typedef struct {
    int counter;
} atomic_t;

typedef struct {
    long long counter;
} atomic64_t;

#define ATOMIC_INIT(value) { (value) }
#define ATOMIC64_INIT(value) { (value) }

#define __LKMM_ORDERED(atomic, type, suffix, order)                                                                    \
    static inline type atomic##_fetch_add##suffix(type i, atomic##_t *v)                                               \
    {                                                                                                                  \
        return __atomic_fetch_add(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_fetch_sub##suffix(type i, atomic##_t *v)                                               \
    {                                                                                                                  \
        return __atomic_fetch_sub(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_fetch_and##suffix(type i, atomic##_t *v)                                               \
    {                                                                                                                  \
        return __atomic_fetch_and(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_fetch_andnot##suffix(type i, atomic##_t *v)                                            \
    {                                                                                                                  \
        return __atomic_fetch_and(&v->counter, ~i, order);                                                             \
    }                                                                                                                  \
    static inline type atomic##_fetch_or##suffix(type i, atomic##_t *v)                                                \
    {                                                                                                                  \
        return __atomic_fetch_or(&v->counter, i, order);                                                               \
    }                                                                                                                  \
    static inline type atomic##_fetch_xor##suffix(type i, atomic##_t *v)                                               \
    {                                                                                                                  \
        return __atomic_fetch_xor(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_fetch_inc##suffix(atomic##_t *v)                                                       \
    {                                                                                                                  \
        return __atomic_fetch_add(&v->counter, 1, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_fetch_dec##suffix(atomic##_t *v)                                                       \
    {                                                                                                                  \
        return __atomic_fetch_sub(&v->counter, 1, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_add_return##suffix(type i, atomic##_t *v)                                              \
    {                                                                                                                  \
        return __atomic_add_fetch(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_sub_return##suffix(type i, atomic##_t *v)                                              \
    {                                                                                                                  \
        return __atomic_sub_fetch(&v->counter, i, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_inc_return##suffix(atomic##_t *v)                                                      \
    {                                                                                                                  \
        return __atomic_add_fetch(&v->counter, 1, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_dec_return##suffix(atomic##_t *v)                                                      \
    {                                                                                                                  \
        return __atomic_sub_fetch(&v->counter, 1, order);                                                              \
    }                                                                                                                  \
    static inline type atomic##_xchg##suffix(atomic##_t *v, type value)                                                \
    {                                                                                                                  \
        return __atomic_exchange_n(&v->counter, value, order);                                                         \
    }                                                                                                                  \
    static inline type atomic##_cmpxchg##suffix(atomic##_t *v, type old, type value)                                   \
    {                                                                                                                  \
        return __LKMM_CMPXCHG(&v->counter, old, value, suffix);                                                        \
    }                                                                                                                  \
    static inline bool atomic##_try_cmpxchg##suffix(atomic##_t *v, type *old, type value)                              \
    {                                                                                                                  \
        return __LKMM_TRY_CMPXCHG(&v->counter, old, value, suffix);                                                    \
    }

/* The first lines give no value: they order nothing, and smp_rmb does not order them. */
#define __LKMM_ATOMIC(atomic, type, size)                                                                              \
    static inline void atomic##_add(type i, atomic##_t *v) { __selvedge_atomic_add_##size(&v->counter, i); }           \
    static inline void atomic##_sub(type i, atomic##_t *v)                                                             \
    {                                                                                                                  \
        __selvedge_atomic_add_##size(&v->counter, (type)(0 - (unsigned long long)i));                                  \
    }                                                                                                                  \
    static inline void atomic##_inc(atomic##_t *v) { __selvedge_atomic_add_##size(&v->counter, 1); }                   \
    static inline void atomic##_dec(atomic##_t *v) { __selvedge_atomic_add_##size(&v->counter, -1); }                  \
    static inline void atomic##_and(type i, atomic##_t *v) { __selvedge_atomic_and_##size(&v->counter, i); }           \
    static inline void atomic##_andnot(type i, atomic##_t *v) { __selvedge_atomic_and_##size(&v->counter, ~i); }       \
    static inline void atomic##_or(type i, atomic##_t *v) { __selvedge_atomic_or_##size(&v->counter, i); }             \
    static inline void atomic##_xor(type i, atomic##_t *v) { __selvedge_atomic_xor_##size(&v->counter, i); }           \
    static inline type atomic##_read(const atomic##_t *v) { return READ_ONCE(v->counter); }                            \
    static inline type atomic##_read_acquire(const atomic##_t *v) { return smp_load_acquire(&v->counter); }            \
    static inline void atomic##_set(atomic##_t *v, type i) { WRITE_ONCE(v->counter, i); }                              \
    static inline void atomic##_set_release(atomic##_t *v, type i) { smp_store_release(&v->counter, i); }              \
    __LKMM_ORDERED(atomic, type, , __ATOMIC_SEQ_CST)                                                                   \
    __LKMM_ORDERED(atomic, type, _relaxed, __ATOMIC_RELAXED)                                                           \
    __LKMM_ORDERED(atomic, type, _acquire, __ATOMIC_ACQUIRE)                                                           \
    __LKMM_ORDERED(atomic, type, _release, __ATOMIC_RELEASE)                                                           \
    static inline bool atomic##_sub_and_test(type i, atomic##_t *v) { return atomic##_sub_return(i, v) == 0; }         \
    static inline bool atomic##_dec_and_test(atomic##_t *v) { return atomic##_dec_return(v) == 0; }                    \
    static inline bool atomic##_inc_and_test(atomic##_t *v) { return atomic##_inc_return(v) == 0; }                    \
    static inline bool atomic##_add_negative(type i, atomic##_t *v) { return atomic##_add_return(i, v) < 0; }          \
    static inline type atomic##_fetch_add_unless(atomic##_t *v, type i, type unless)                                   \
    {                                                                                                                  \
        type c = atomic##_read(v);                                                                                     \
        do {                                                                                                           \
            if (c == unless)                                                                                           \
                break;                                                                                                 \
        } while (!atomic##_try_cmpxchg(v, &c, c + i));                                                                 \
        return c;                                                                                                      \
    }                                                                                                                  \
    static inline bool atomic##_add_unless(atomic##_t *v, type i, type unless)                                         \
    {                                                                                                                  \
        return atomic##_fetch_add_unless(v, i, unless) != unless;                                                      \
    }                                                                                                                  \
    static inline bool atomic##_inc_not_zero(atomic##_t *v) { return atomic##_add_unless(v, 1, 0); }

__LKMM_ATOMIC(atomic, int, 4)
__LKMM_ATOMIC(atomic64, long long, 8)

/* Locks. */
typedef struct {
    pthread_spinlock_t lock;
} spinlock_t;

#define __SPIN_LOCK_UNLOCKED(name) { 0 }
#define DEFINE_SPINLOCK(name) spinlock_t name = __SPIN_LOCK_UNLOCKED(name)

static inline void spin_lock_init(spinlock_t *l) { pthread_spin_init(&l->lock, 0); }
static inline void spin_lock(spinlock_t *l)
{
    pthread_spin_lock(&l->lock);
    __selvedge_locked();
}
static inline void spin_unlock(spinlock_t *l)
{
    __selvedge_unlocking();
    pthread_spin_unlock(&l->lock);
}
static inline int spin_trylock(spinlock_t *l)
{
    if (pthread_spin_trylock(&l->lock) != 0) return 0;
    __selvedge_locked();
    return 1;
}

struct mutex {
    pthread_mutex_t lock;
};

#define DEFINE_MUTEX(name) struct mutex name = { PTHREAD_MUTEX_INITIALIZER }

static inline void mutex_init(struct mutex *m) { pthread_mutex_init(&m->lock, 0); }
static inline void mutex_lock(struct mutex *m) { pthread_mutex_lock(&m->lock); }
static inline void mutex_unlock(struct mutex *m) { pthread_mutex_unlock(&m->lock); }
static inline int mutex_trylock(struct mutex *m) { return pthread_mutex_trylock(&m->lock) == 0; }

#endif /* SELVEDGE_LKMM_H */
