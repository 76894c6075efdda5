//! Threads that do the same are explored in one order: the verdict is the same with and without, and threads
//! that only look the same are told apart.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A directory of its own for each test, removed afterwards.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("selvedge-symmetry-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Dir(path)
    }

    fn check(&self, args: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(["check", "program.c", "--format", "json", "--all-errors"]).args(args);
        let out = command.current_dir(&self.0).output().expect("the command runs");
        let text = String::from_utf8_lossy(&out.stdout);
        serde_json::from_str(&text)
            .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&out.stderr)))
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a check says: verdict and kinds of errors, executions, and how many threads are taken to do the same.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    verdict: String,
    errors: Vec<String>,
    executions: u64,
    alike: Option<u64>,
}

impl Outcome {
    fn of(report: &Value) -> Outcome {
        let text = |v: &Value| v.as_str().expect("a text").to_string();
        let mut errors: Vec<String> =
            report["errors"].as_array().expect("a list").iter().map(|e| text(&e["kind"])).collect();
        errors.sort();
        errors.dedup();
        let executions = report["executions"].as_u64().expect("a number");
        Outcome {
            verdict: text(&report["verdict"]),
            errors,
            executions,
            alike: report["symmetric_threads"].as_u64(),
        }
    }
}

/// With and without. `threads` are created by `main`, after which comes `rest`.
fn outcomes(name: &str, text: &str, args: &[&str]) -> (Outcome, Outcome) {
    let dir = Dir::new(name);
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n";
    std::fs::write(dir.0.join("program.c"), format!("{head}{text}")).expect("a file");
    let on = Outcome::of(&dir.check(args));
    let off = Outcome::of(&dir.check(&[&["--disable", "symmetry"], args].concat()));
    assert_eq!((&on.verdict, &on.errors), (&off.verdict, &off.errors), "{name}: {on:?} {off:?}");
    assert_eq!(off.alike, None, "{name}");
    (on, off)
}

/// A `main` that creates `n` threads that run `worker`, and waits for them.
fn main_of(n: u32) -> String {
    format!(
        "int main(void) {{ pthread_t t[{n}];
           for (int i = 0; i < {n}; i++) pthread_create(&t[i], NULL, worker, NULL);
           for (int i = 0; i < {n}; i++) pthread_join(t[i], NULL);
           CHECK; return 0; }}"
    )
}

const MODELS: [&str; 5] = ["sc", "tso", "pso", "ra", "rc11"];

/// Threads that are taken to do the same: executions with and without.
fn reduced(name: &str, text: &str, threads: u64, counts: (u64, u64)) {
    for model in MODELS {
        let (on, off) = outcomes(name, text, &["-m", model]);
        assert_eq!(on.alike, Some(threads), "{name} under {model}: {on:?}");
        // Under this one, more is explored than the pushes in their order.
        if (name, model) != ("pushes", "pso") {
            assert_eq!((on.executions, off.executions), counts, "{name} under {model}");
        }
        assert!(on.executions < off.executions);
    }
}

/// Threads that are told apart.
fn not_reduced(name: &str, text: &str) -> Outcome {
    let (on, off) = outcomes(name, text, &[]);
    assert_eq!(on, off, "{name}");
    on
}

#[test]
fn counters_and_locks() {
    let increments = "atomic_int x;
        void *worker(void *arg) { (void)arg; atomic_fetch_add(&x, 1); return NULL; }
        #define CHECK assert(x == 4)\n";
    reduced("ainc", &(increments.to_string() + &main_of(4)), 4, (1, 24));
    let mutex = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
        void *worker(void *arg) { (void)arg;
          for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } return NULL; }
        #define CHECK assert(x == 6)\n";
    reduced("mutex", &(mutex.to_string() + &main_of(3)), 3, (15, 90));
    let spin = "atomic_int l; int x;
        void *worker(void *arg) { (void)arg;
          int free = 0;
          while (atomic_load_explicit(&l, memory_order_relaxed)
                 || !atomic_compare_exchange_strong_explicit(&l, &free, 1, memory_order_acquire, memory_order_relaxed))
            free = 0;
          x++; atomic_store_explicit(&l, 0, memory_order_release); return NULL; }
        #define CHECK assert(x == 4)\n";
    reduced("ttas", &(spin.to_string() + &main_of(4)), 4, (1, 24));
}

#[test]
fn objects_of_their_own() {
    let pushes = "struct node { int value; struct node *next; };
        _Atomic(struct node *) top;
        void *worker(void *arg) { (void)arg;
          struct node *n = malloc(sizeof *n); n->value = 1;
          n->next = atomic_load_explicit(&top, memory_order_relaxed);
          while (!atomic_compare_exchange_strong_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed));
          return NULL; }
        static int sum(void) { int s = 0; for (struct node *n = top; n; n = n->next) s += n->value; return s; }
        #define CHECK assert(sum() == 4)\n";
    reduced("pushes", &(pushes.to_string() + &main_of(4)), 4, (1, 24));
}

/// An argument that is not looked at makes no difference; other threads may be there.
#[test]
fn arguments_that_nobody_reads() {
    let text = "atomic_int x, y;
        void *worker(void *arg) { (void)arg; atomic_fetch_add(&x, 1); return NULL; }
        void *other(void *arg) { (void)arg; atomic_store(&y, atomic_load(&x)); return NULL; }
        int main(void) { pthread_t t[4]; pthread_create(&t[3], NULL, other, NULL);
          for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, (void *)i);
          for (long i = 3; i >= 0; i--) pthread_join(t[i], NULL);
          assert(x == 3); return 0; }";
    let (on, off) = outcomes("unread", text, &[]);
    assert_eq!((on.alike, on.executions, off.executions), (Some(3), 4, 24));
}

#[test]
fn errors_are_found() {
    let text = "int x; atomic_int y;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add_explicit(&y, 1, memory_order_relaxed) == 2) x = 1; else x++;
          return NULL; }
        #define CHECK assert(x >= 0)\n";
    let (on, _) = outcomes("race", &(text.to_string() + &main_of(3)), &[]);
    assert_eq!(on.errors, ["data-race"]);
    // Only the second one to come waits, for ever; and only it fails.
    let text = "atomic_int x, go;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add(&x, 1) == 1) while (!atomic_load(&go)); return NULL; }
        #define CHECK assert(x == 3)\n";
    let (on, _) = outcomes("wait", &(text.to_string() + &main_of(3)), &[]);
    assert_eq!(on.errors, ["non-termination"]);
    let text = "atomic_int x;
        void *worker(void *arg) { (void)arg; assert(atomic_fetch_add(&x, 1) != 2); return NULL; }
        #define CHECK assert(x == 3)\n";
    let (on, _) = outcomes("assertion", &(text.to_string() + &main_of(3)), &[]);
    assert_eq!(on.errors, ["assertion"]);
}

/// A thread that takes another way has no read-modify-write to wait for.
#[test]
fn threads_that_take_another_way() {
    let text = "atomic_int x, f;
        void *worker(void *arg) { (void)arg;
          if (atomic_load_explicit(&f, memory_order_relaxed)) atomic_fetch_add(&x, 1);
          else atomic_store_explicit(&f, 1, memory_order_relaxed);
          return NULL; }
        #define CHECK assert(x != 2)\n";
    let (on, _) = outcomes("way", &(text.to_string() + &main_of(3)), &[]);
    assert_eq!((on.alike, on.errors), (Some(3), vec![String::from("assertion")]));
}

#[test]
fn who_asks_for_a_name_is_told_apart() {
    let text = "atomic_int x; pthread_t first;
        void *worker(void *arg) { (void)arg;
          if (atomic_fetch_add(&x, 1) == 0) assert(pthread_equal(pthread_self(), first)); return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&first, NULL, worker, NULL);
          pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(first, NULL); pthread_join(t[1], NULL); return 0; }";
    assert_eq!(not_reduced("self", text).errors, ["assertion"]);
    let text = "atomic_int x; _Thread_local int mine; _Atomic(int *) last;
        void *worker(void *arg) { (void)arg;
          int *before = atomic_exchange(&last, &mine); if (before) assert(before < &mine); return NULL; }
        #define CHECK\n";
    assert_eq!(not_reduced("thread-local", &(text.to_string() + &main_of(2))).errors, ["assertion"]);
}

#[test]
fn different_arguments() {
    let text = "atomic_int x;
        void *worker(void *arg) { if (atomic_fetch_add(&x, 1) == 0) assert((long)arg == 0); return NULL; }
        int main(void) { pthread_t t[2];
          for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, (void *)i);
          for (long i = 0; i < 2; i++) pthread_join(t[i], NULL); return 0; }";
    assert_eq!(not_reduced("arguments", text).errors, ["assertion"]);
}

#[test]
fn who_looks_into_addresses_is_told_apart() {
    for (name, look) in [
        ("order", "before < n"),
        ("difference", "before - n < 0"),
        ("bits", "((unsigned long)before >> 32) < ((unsigned long)n >> 32)"),
        ("hash", "(unsigned long)before % 97 < (unsigned long)n % 97"),
    ] {
        let text = format!(
            "_Atomic(char *) last;
             void *worker(void *arg) {{ (void)arg; char *n = malloc(8);
               char *before = atomic_exchange(&last, n); if (before) assert({look}); return NULL; }}
             #define CHECK\n"
        );
        let on = not_reduced(name, &(text + &main_of(2)));
        assert_eq!(on.alike, None, "{name}");
    }
    // In memory, by halves.
    let text = "union both { char *address; struct { unsigned low, high; } parts; };
        union both last; atomic_int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *worker(void *arg) { (void)arg; char *n = malloc(8);
          pthread_mutex_lock(&m); unsigned before = last.parts.high; last.address = n;
          assert(before < last.parts.high); pthread_mutex_unlock(&m); return NULL; }
        #define CHECK\n";
    assert_eq!(not_reduced("halves", &(text.to_string() + &main_of(2))).errors, ["assertion"]);
    // Somewhere else.
    let text = "_Atomic(char *) one, two;
        void *worker(void *arg) { (void)arg; char *n = malloc(8), *none = NULL;
          if (!atomic_compare_exchange_strong(&one, &none, n)) atomic_store(&two, n); return NULL; }
        #define CHECK assert(one < two)\n";
    assert_eq!(not_reduced("elsewhere", &(text.to_string() + &main_of(2))).errors, ["assertion"]);
}

#[test]
fn between_creations() {
    let text = "atomic_int x, second;
        void *worker(void *arg) { (void)arg; int s = atomic_load_explicit(&second, memory_order_relaxed);
          if (atomic_fetch_add(&x, 1) == 0) assert(!s); return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&t[0], NULL, worker, NULL);
          second = 1; pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(t[0], NULL); pthread_join(t[1], NULL); return 0; }";
    assert_eq!(not_reduced("store", text).errors, ["assertion"]);
    // Plain, and read by the threads: a race only for the one that was created first.
    let text = "atomic_int x; int second;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add(&x, 1) == 0) assert(second); return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&t[0], NULL, worker, NULL);
          second = 1; pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(t[0], NULL); pthread_join(t[1], NULL); return 0; }";
    assert_eq!(not_reduced("plain", text).errors, ["data-race"]);
}

#[test]
fn between_joins() {
    // The first thread to come waits for `main`, which waits for the thread that it created first.
    let text = "atomic_int x, go;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add(&x, 1) == 0) while (!atomic_load(&go)); return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&t[0], NULL, worker, NULL);
          pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(t[0], NULL); assert(0); pthread_join(t[1], NULL); return 0; }";
    assert_eq!(not_reduced("stuck", text).errors, ["assertion", "non-termination"]);
    // What a thread returns.
    let text = "atomic_int x;
        void *worker(void *arg) { (void)arg; return (void *)(long)atomic_fetch_add(&x, 1); }
        int main(void) { pthread_t t[2]; void *r; pthread_create(&t[0], NULL, worker, NULL);
          pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(t[0], &r); assert(!r); pthread_join(t[1], NULL); return 0; }";
    assert_eq!(not_reduced("result", text).errors, ["assertion"]);
    // Looks at what the threads did before it has waited for both.
    let text = "atomic_int x; int last;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add(&x, 1) == 1) last = 1; return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&t[0], NULL, worker, NULL);
          pthread_create(&t[1], NULL, worker, NULL);
          pthread_join(t[1], NULL); assert(last); pthread_join(t[0], NULL); return 0; }";
    assert_eq!(not_reduced("early", text).errors, ["data-race"]);
    // Never waits for the other one.
    let text = "atomic_int x, go;
        void *worker(void *arg) { (void)arg; if (atomic_fetch_add(&x, 1) == 0) while (!atomic_load(&go)); return NULL; }
        int main(void) { pthread_t t[2]; pthread_create(&t[0], NULL, worker, NULL);
          pthread_create(&t[1], NULL, worker, NULL); pthread_join(t[0], NULL); go = 1; return 0; }";
    assert_eq!(not_reduced("one", text).errors, ["non-termination"]);
}

#[test]
fn with_other_reductions_off_and_with_workers() {
    let text = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; atomic_int y; int x;
        void *worker(void *arg) { (void)arg; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
          atomic_fetch_add(&y, 1); return NULL; }
        #define CHECK assert(x == 3 && y == 3)\n";
    let text = text.to_string() + &main_of(3);
    let (on, off) = outcomes("some", &text, &[]);
    assert!(on.alike == Some(3) && off.executions == 6 * on.executions);
    let (two, _) = outcomes("two", &text, &["-j", "2"]);
    assert_eq!(on, two);
    let dir = Dir::new("lists");
    std::fs::write(
        dir.0.join("program.c"),
        format!("#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n{text}"),
    )
    .expect("a file");
    for list in ["awaits", "awaits,annotations", "pef,spin-assume", "simplification"] {
        let some = Outcome::of(&dir.check(&["--disable", list]));
        assert_eq!(some, on, "{list}");
    }
    let none = Outcome::of(&dir.check(&["--disable", "all"]));
    assert_eq!((none.alike, none.executions), (None, off.executions));
}
