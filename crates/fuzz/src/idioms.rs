//! Idioms of generated C programs beside locks and lists: what the C library and the system have, memory that
//! is freed, choices in loops, accesses of different sizes, assembly.

use crate::programs::Maker;

/// What the idioms need.
pub(crate) const PREAMBLE: &str = "#define _GNU_SOURCE
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
extern _Bool __VERIFIER_nondet_bool(void);
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t sem;
atomic_int fx, refs;
volatile int vv;
union { atomic_uint whole; struct { _Atomic unsigned short low, high; } half; } mix;
struct shared { atomic_int count; int val; };
_Atomic(struct shared *) object;
static long futex(atomic_int *at, int what, int n) { return syscall(SYS_futex, at, what, n, 0, 0, 0); }
static int try_asm(atomic_int *at)
{
    __asm__ goto volatile(\"lock; cmpxchgl %2, %0; jne %l[busy]\" : \"+m\"(*at) : \"a\"(0), \"r\"(1) : \"memory\" : busy);
    return 1;
busy:
    return 0;
}
";

impl Maker<'_> {
    /// Locks and waits of the C library and the system.
    pub(crate) fn of_library(&mut self) -> String {
        let (body, inner, r) = (self.section(), self.section(), self.seen());
        let (take, give) =
            (self.one(&["acquire", "acquire", "relaxed"]), self.one(&["release", "release", "relaxed"]));
        match self.random.below(11) {
            0 => format!("pthread_rwlock_wrlock(&rw); {body} pthread_rwlock_unlock(&rw);"),
            1 => format!("pthread_rwlock_rdlock(&rw); {r} = p; pthread_rwlock_unlock(&rw);"),
            2 => format!(
                "if (!pthread_rwlock_try{}lock(&rw)) {{ {r} = q; pthread_rwlock_unlock(&rw); }}",
                self.one(&["rd", "wr"])
            ),
            3 => format!("sem_wait(&sem); {body} sem_post(&sem);"),
            4 => format!("if (!sem_trywait(&sem)) {{ {body} sem_post(&sem); }} else {r} = 8;"),
            5 => {
                let (a, b) = if self.random.below(3) == 0 { ("m2", "m1") } else { ("m1", "m2") };
                format!(
                    "pthread_mutex_lock(&{a}); {body} pthread_mutex_lock(&{b}); {inner} \
                     pthread_mutex_unlock(&{b}); pthread_mutex_unlock(&{a});"
                )
            }
            6 => format!(
                "while (atomic_exchange_explicit(&fx, 2, memory_order_{take}) != 0) futex(&fx, FUTEX_WAIT, 2); {body} \
                 if (atomic_exchange_explicit(&fx, 0, memory_order_{give}) == 2) futex(&fx, FUTEX_WAKE, 1);"
            ),
            7 => format!(
                "while (atomic_load_explicit(&x, memory_order_{take}) == 0) futex(&x, FUTEX_WAIT, 0); {r} = p;"
            ),
            8 => format!("atomic_store_explicit(&x, 1, memory_order_{give}); futex(&x, FUTEX_WAKE, 9);"),
            9 => format!("while (!try_asm(&l1)); {body} atomic_store_explicit(&l1, 0, memory_order_{give});"),
            _ => format!(
                "{{ pthread_mutex_lock(&m1); struct timespec until = {{ 1, 5 }}; \
                 if (p == 0) {r} = pthread_cond_timedwait(&c1, &m1, &until) != 0; pthread_mutex_unlock(&m1); }}"
            ),
        }
    }

    /// Choices in loops, waits with something to do in them, memory that is freed, parts of memory.
    pub(crate) fn of_all_kinds(&mut self) -> String {
        let (v, r, s) = (self.variable(), self.seen(), self.seen());
        let (load, store, update) = (self.load(), self.store(), self.update());
        let choose = "__VERIFIER_nondet_bool()";
        match self.random.below(16) {
            0 => format!("while ({choose}) ;"),
            1 => format!("while ({choose}) {{ if ({choose}) {r} = 3; }}"),
            2 => format!("{{ int n = 0; while (n < 2 && {choose}) n++; {r} = n; }}"),
            3 => format!("do {r} = atomic_load_explicit(&{v}, {load}); while ({choose});"),
            4 => format!(
                "while (!atomic_load_explicit(&{v}, {load})) {{ if ({choose}) {{ {r} = 5; break; }} }}"
            ),
            5 => format!("while (atomic_fetch_add_explicit(&{v}, 0, {update}) == 0);"),
            6 => {
                format!("while (atomic_fetch_xor_explicit(&{v}, {}, {update}) == 0);", self.one(&["0", "1"]))
            }
            7 => format!(
                "while (!atomic_load_explicit(&{v}, {load})) {{ struct timespec some = {{ 0, 100 }}; \
                 nanosleep(&some, 0); }}"
            ),
            8 => format!(
                "while (!atomic_load_explicit(&{v}, {load})) {{ int some[4] = {{ 1, 2, 3, 4 }}; some[1]++; \
                 {r} = some[1]; }}"
            ),
            9 => format!(
                "{{ struct shared *n = malloc(sizeof *n); atomic_init(&n->count, 1); n->val = 1; \
                 struct shared *o = atomic_exchange_explicit(&object, n, {update}); \
                 if (o && atomic_fetch_sub_explicit(&o->count, 1, {}) == 1) free(o); }}",
                self.update()
            ),
            10 => format!(
                "{{ struct shared *o = atomic_load_explicit(&object, {load}); if (o) {r} = o->val; }}"
            ),
            11 => format!(
                "{{ unsigned old = atomic_fetch_add_explicit(&mix.whole, 0x10000, {update}); {r} = old >> 16; \
                 {s} = atomic_load_explicit(&mix.half.low, {load}); }}"
            ),
            12 => format!("atomic_store_explicit(&mix.half.{}, 1, {store});", self.one(&["low", "high"])),
            13 => format!("vv = {}; {r} = vv;", 1 + self.random.below(2)),
            14 => format!("{r} = vv; atomic_store_explicit(&{v}, 1, {store});"),
            _ => format!(
                "{{ int k = {choose} ? 1 : 2; int *to = {choose} ? &p : &q; \
                 atomic_store_explicit(&{v}, k, {store}); pthread_mutex_lock(&m1); *to = k; pthread_mutex_unlock(&m1); }}"
            ),
        }
    }
}
