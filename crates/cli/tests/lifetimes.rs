//! Lifetimes, and wrong use of what the C library has for threads: each program beside the wrong one that it
//! is most easily taken for. Verdicts must not depend on how barriers are explored.

use crate::support;

use support::twins::twins;
use support::{directory, selvedge, write};

#[test]
fn main_s_variables_end_when_it_returns_but_not_at_exit() {
    twins(
        "dead-stack",
        "",
        "static void *t(void *p) { *(int *)p = 1; return 0; }
int main(void) { int x = 0; pthread_t q; pthread_create(&q, 0, t, &x); pthread_join(q, 0); return 0; }",
        "static void *t(void *p) { *(int *)p = 1; return 0; }
int main(void) { int x = 0; pthread_t q; pthread_create(&q, 0, t, &x); return 0; }",
    );
    twins(
        "dead-stack",
        "",
        "static int *p;
static void last(void) { assert(*p == 1); }
int main(void) { int x = 1; p = &x; atexit(last); exit(0); }",
        "static int *p;
static void last(void) { assert(*p == 1); }
int main(void) { int x = 1; p = &x; atexit(last); return 0; }",
    );
}

#[test]
fn main_s_variables_end_with_pthread_exit() {
    twins(
        "dead-stack",
        "",
        "static int x;
static void *t(void *p) { *(int *)p = 1; return 0; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, &x); pthread_exit(0); }",
        "static void *t(void *p) { *(int *)p = 1; return 0; }
static void leave(void) { int x = 0; pthread_t q; pthread_create(&q, 0, t, &x); pthread_exit(0); }
int main(void) { leave(); return 0; }",
    );
}

#[test]
fn what_comes_before_the_end_of_main_s_variables_must_be_ordered() {
    twins(
        "dead-stack",
        "",
        "static atomic_int done;
static void *t(void *p) { *(int *)p = 1; atomic_store_explicit(&done, 1, memory_order_release); return 0; }
int main(void) { int x = 0; pthread_t q; pthread_create(&q, 0, t, &x); pthread_detach(q);
  while (!atomic_load_explicit(&done, memory_order_acquire)); return 0; }",
        "static atomic_int done;
static void *t(void *p) { *(int *)p = 1; atomic_store_explicit(&done, 1, memory_order_release); return 0; }
int main(void) { int x = 0; pthread_t q; pthread_create(&q, 0, t, &x); pthread_detach(q);
  while (!atomic_load_explicit(&done, memory_order_relaxed)); return 0; }",
    );
}

#[test]
fn thread_local_variables_end_with_their_thread() {
    twins(
        "use-after-free",
        "",
        "static _Thread_local int tl; static int *_Atomic gp; static sem_t s, e;
static void *t(void *a) { tl = 1; gp = &tl; sem_post(&s); sem_wait(&e); return a; }
int main(void) { pthread_t q; sem_init(&s, 0, 0); sem_init(&e, 0, 0); pthread_create(&q, 0, t, 0);
  sem_wait(&s); assert(*gp == 1); sem_post(&e); pthread_join(q, 0); return 0; }",
        "static _Thread_local int tl; static int *_Atomic gp; static sem_t s, e;
static void *t(void *a) { tl = 1; gp = &tl; sem_post(&s); return a; }
int main(void) { pthread_t q; sem_init(&s, 0, 0); sem_init(&e, 0, 0); pthread_create(&q, 0, t, 0);
  sem_wait(&s); assert(*gp == 1); sem_post(&e); pthread_join(q, 0); return 0; }",
    );
    twins(
        "use-after-free",
        "",
        "static _Thread_local int tl; static int *gp;
static void *t(void *a) { *gp = 1; return a; }
int main(void) { pthread_t q; gp = &tl; pthread_create(&q, 0, t, 0); pthread_join(q, 0); pthread_exit(0); }",
        "static _Thread_local int tl; static int *gp;
static void *t(void *a) { *gp = 1; return a; }
int main(void) { pthread_t q; gp = &tl; pthread_create(&q, 0, t, 0); pthread_exit(0); }",
    );
}

#[test]
fn the_memory_of_a_barrier_stays_until_all_have_left_or_it_is_destroyed() {
    twins(
        "use-after-free",
        "",
        "static pthread_barrier_t *b;
static void *t(void *a) { pthread_barrier_wait(b); return a; }
int main(void) { b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2); pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(b); pthread_barrier_destroy(b); free(b); pthread_join(q, 0); return 0; }",
        "static pthread_barrier_t *b;
static void *t(void *a) { pthread_barrier_wait(b); return a; }
int main(void) { b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2); pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(b); free(b); pthread_join(q, 0); return 0; }",
    );
    twins(
        "barrier-misuse",
        "",
        "static pthread_barrier_t *b;
static void *t(void *a) { pthread_barrier_wait(b); return a; }
int main(void) { b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2); pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(b); pthread_join(q, 0); free(b); return 0; }",
        "static pthread_barrier_t *b;
static void *t(void *a) { pthread_barrier_wait(b); return a; }
int main(void) { b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2); pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(b); pthread_join(q, 0); pthread_barrier_destroy(b); pthread_barrier_wait(b); return 0; }",
    );
    twins(
        "dead-stack",
        "",
        "static pthread_barrier_t *gb;
static void *t(void *a) { pthread_barrier_wait(gb); pthread_barrier_wait(gb); return a; }
static void f(pthread_t *q) { pthread_barrier_t b; pthread_barrier_init(&b, 0, 3); gb = &b;
  for (int i = 0; i < 2; i++) pthread_create(&q[i], 0, t, 0);
  pthread_barrier_wait(&b); pthread_barrier_wait(&b); pthread_barrier_destroy(&b); }
int main(void) { pthread_t q[2]; f(q); pthread_join(q[0], 0); pthread_join(q[1], 0); return 0; }",
        "static pthread_barrier_t *gb;
static void *t(void *a) { pthread_barrier_wait(gb); pthread_barrier_wait(gb); return a; }
static void f(pthread_t *q) { pthread_barrier_t b; pthread_barrier_init(&b, 0, 3); gb = &b;
  for (int i = 0; i < 2; i++) pthread_create(&q[i], 0, t, 0);
  pthread_barrier_wait(&b); pthread_barrier_wait(&b);  }
int main(void) { pthread_t q[2]; f(q); pthread_join(q[0], 0); pthread_join(q[1], 0); return 0; }",
    );
}

#[test]
fn a_barrier_is_initialised_again_only_after_its_destruction() {
    twins(
        "barrier-misuse",
        "",
        "static pthread_barrier_t b;
static void *t(void *a) { pthread_barrier_wait(&b); return a; }
int main(void) { for (int i = 0; i < 2; i++) { pthread_t q; pthread_barrier_init(&b, 0, 2); pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(&b); pthread_join(q, 0); pthread_barrier_destroy(&b); } return 0; }",
        "static pthread_barrier_t b;
static void *t(void *a) { pthread_barrier_wait(&b); return a; }
int main(void) { for (int i = 0; i < 2; i++) { pthread_t q; pthread_barrier_init(&b, 0, 2); pthread_create(&q, 0, t, 0);
  pthread_barrier_wait(&b); pthread_join(q, 0); } return 0; }",
    );
}

#[test]
fn a_semaphore_that_is_destroyed_is_not_used() {
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
static void *t(void *a) { sem_post(&s); return a; }
int main(void) { sem_init(&s, 0, 0); pthread_t q; pthread_create(&q, 0, t, 0); sem_wait(&s); sem_destroy(&s);
  pthread_join(q, 0); return 0; }",
        "static sem_t s;
static void *t(void *a) { sem_post(&s); return a; }
int main(void) { sem_init(&s, 0, 1); pthread_t q; pthread_create(&q, 0, t, 0); sem_wait(&s); sem_destroy(&s);
  pthread_join(q, 0); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s); sem_init(&s, 0, 1); sem_wait(&s); return v * 0; }",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s);  sem_wait(&s); return v * 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s); sem_init(&s, 0, 1); sem_post(&s); return v * 0; }",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s);  sem_post(&s); return v * 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s); sem_init(&s, 0, 1); sem_trywait(&s); return v * 0; }",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s);  sem_trywait(&s); return v * 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s); sem_init(&s, 0, 1); sem_getvalue(&s, &v); return v * 0; }",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s);  sem_getvalue(&s, &v); return v * 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s); sem_init(&s, 0, 1); sem_destroy(&s); return v * 0; }",
        "static sem_t s;
int main(void) { int v = 0; sem_init(&s, 0, 1); sem_destroy(&s);  sem_destroy(&s); return v * 0; }",
    );
}

#[test]
fn a_condition_variable_that_is_destroyed_is_not_used() {
    twins(
        "lock-misuse",
        "",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_init(&c, 0); pthread_cond_signal(&c); return 0; }",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c);  pthread_cond_signal(&c); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_init(&c, 0); pthread_cond_broadcast(&c); return 0; }",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c);  pthread_cond_broadcast(&c); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c); pthread_cond_init(&c, 0); pthread_cond_destroy(&c); return 0; }",
        "static pthread_cond_t c;
int main(void) { pthread_cond_init(&c, 0); pthread_cond_destroy(&c);  pthread_cond_destroy(&c); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int go;
static void *t(void *a) { pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
  pthread_cond_destroy(&c); pthread_join(q, 0); pthread_mutex_destroy(&m); return 0; }",
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int go;
static void *t(void *a) { pthread_mutex_lock(&m); go = 1; pthread_mutex_unlock(&m); pthread_cond_signal(&c); return a; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
  pthread_cond_destroy(&c); pthread_join(q, 0); pthread_mutex_destroy(&m); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int go, in;
static void *t(void *a) { pthread_mutex_lock(&m); in = 1; while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_mutex_lock(&m); int waits = in; go = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
  if (waits) pthread_cond_destroy(&c); pthread_join(q, 0); return 0; }",
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int go, in;
static void *t(void *a) { pthread_mutex_lock(&m); in = 1; while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, 0);
  pthread_mutex_lock(&m); int waits = in; go = 1; pthread_mutex_unlock(&m);
  if (waits) pthread_cond_destroy(&c); pthread_join(q, 0); return 0; }",
    );
}

#[test]
fn a_reader_writer_lock_that_is_destroyed_is_not_used() {
    twins(
        "lock-misuse",
        "",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); pthread_rwlock_rdlock(&l); return 0; }",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l);  pthread_rwlock_rdlock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); pthread_rwlock_wrlock(&l); return 0; }",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l);  pthread_rwlock_wrlock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); pthread_rwlock_tryrdlock(&l); return 0; }",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l);  pthread_rwlock_tryrdlock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); pthread_rwlock_trywrlock(&l); return 0; }",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l);  pthread_rwlock_trywrlock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l); return 0; }",
        "static pthread_rwlock_t l;
int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_destroy(&l);  pthread_rwlock_destroy(&l); return 0; }",
    );
}

#[test]
fn a_mutex_or_spin_lock_that_is_destroyed_is_not_used() {
    twins(
        "lock-misuse",
        "",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l); pthread_mutex_init(&l, 0); pthread_mutex_lock(&l); return 0; }",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l);  pthread_mutex_lock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l); pthread_mutex_init(&l, 0); pthread_mutex_trylock(&l); return 0; }",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l);  pthread_mutex_trylock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l); pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l); return 0; }",
        "static pthread_mutex_t l;
int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l);  pthread_mutex_destroy(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l); pthread_spin_init(&l, 0); pthread_spin_lock(&l); return 0; }",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l);  pthread_spin_lock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l); pthread_spin_init(&l, 0); pthread_spin_trylock(&l); return 0; }",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l);  pthread_spin_trylock(&l); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l); pthread_spin_init(&l, 0); pthread_spin_destroy(&l); return 0; }",
        "static pthread_spinlock_t l;
int main(void) { pthread_spin_init(&l, 0); pthread_spin_destroy(&l);  pthread_spin_destroy(&l); return 0; }",
    );
}

#[test]
fn a_mutex_may_be_destroyed_right_after_it_was_unlocked() {
    twins(
        "lock-misuse",
        "",
        "struct n { pthread_mutex_t m; int refs; };
static void put(struct n *n) { pthread_mutex_lock(&n->m); int left = --n->refs; pthread_mutex_unlock(&n->m); if (!left) { pthread_mutex_destroy(&n->m); free(n); } }
static void *t(void *a) { put(a); return 0; }
int main(void) { struct n *n = malloc(sizeof *n); pthread_mutex_init(&n->m, 0); n->refs = 2; pthread_t q;
  pthread_create(&q, 0, t, n); put(n); pthread_join(q, 0); return 0; }",
        "struct n { pthread_mutex_t m; int refs; };
static void put(struct n *n) { pthread_mutex_lock(&n->m); int left = --n->refs; if (!left) { free(n); return; } pthread_mutex_unlock(&n->m); }
static void *t(void *a) { put(a); return 0; }
int main(void) { struct n *n = malloc(sizeof *n); pthread_mutex_init(&n->m, 0); n->refs = 2; pthread_t q;
  pthread_create(&q, 0, t, n); put(n); pthread_join(q, 0); return 0; }",
    );
    twins(
        "lock-misuse",
        "",
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static sem_t s;
static void *t(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); sem_post(&s); return a; }
int main(void) { sem_init(&s, 0, 0); pthread_t q; pthread_create(&q, 0, t, 0); sem_wait(&s); pthread_mutex_destroy(&m);
  pthread_join(q, 0); return 0; }",
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static sem_t s;
static void *t(void *a) { pthread_mutex_lock(&m); sem_post(&s); pthread_mutex_unlock(&m); return a; }
int main(void) { sem_init(&s, 0, 0); pthread_t q; pthread_create(&q, 0, t, 0); sem_wait(&s); pthread_mutex_destroy(&m);
  pthread_join(q, 0); return 0; }",
    );
}

/// What the language says of publication holds also where a model orders each location by itself.
#[test]
fn a_node_that_is_published_by_release_and_acquire_is_known_under_pso() {
    let dir = directory("published-under-pso");
    let program = |store: &str, load: &str| {
        format!(
            "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {{ atomic_int value; }};
static struct node *_Atomic top;
static void *t(void *a) {{ struct node *n = atomic_load_explicit(&top, memory_order_{load});
  if (n) {{ assert(atomic_load_explicit(&n->value, memory_order_relaxed) == 1); free(n); }} return a; }}
int main(void) {{ pthread_t q; pthread_create(&q, 0, t, 0); struct node *n = malloc(sizeof *n);
  atomic_init(&n->value, 1); atomic_store_explicit(&top, n, memory_order_{store}); pthread_join(q, 0); return 0; }}
"
        )
    };
    for (store, load, expected) in [
        ("release", "acquire", "verified under pso"),
        ("relaxed", "acquire", "violated under pso"),
        ("release", "relaxed", "violated under pso"),
    ] {
        let file = write(&dir, "program.c", program(store, load));
        for races in [&[][..], &["--no-race-detection"]] {
            let run = selvedge([&["check", "-m", "pso", &file], races].concat());
            assert!(run.out.contains(expected), "{store} {load} {races:?}:\n{}", run.out);
        }
    }
    let _ = std::fs::remove_dir_all(dir);
}
