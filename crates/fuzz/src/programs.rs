//! Small C programs as people write them: locks of all kinds, waits, limits of attempts, lists, sequence
//! locks, condition variables and unknown inputs, with orderings right and wrong, and an assertion about what
//! comes of it that may or may not hold.
//!
//! Each is asked about twice, in two ways that must not contradict each other: with reductions and
//! without, for some errors only, or by executions and by states. The first line of a program says which.
//! That one of the two does not come to an end is no contradiction.

use crate::idioms;
use crate::mutate::Mutator;
use crate::processes::{LIMIT, directory};
use crate::{Outcome, Subject};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ways to ask, the two apart by a bar.
const QUESTIONS: [&str; 11] = [
    "-m rc11 | -m rc11 --disable all",
    "-m rc11 | -m rc11 --disable all",
    "-m rc11 --errors assertion | -m rc11 --errors assertion --disable all",
    "-m rc11 --volatile atomic | -m rc11 --volatile atomic --disable all",
    "-m sc | -m sc --disable all",
    "-m sc --errors assertion | -m sc --errors assertion --engine executions --disable all",
    "-m sc --engine executions | -m sc --engine states",
    "-m tso --engine executions | -m tso --engine states",
    "-m armv8 | -m armv8 --disable all",
    "-m imm | -m imm --disable all",
    "-m riscv | -m riscv --disable all",
];

const PREAMBLE: &str = "#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
struct node { int val; struct node *next; _Atomic(struct node *) anext; };
atomic_int x, y, z, l1, l2, next_t, owner_t, d1, d2;
atomic_uint seq;
atomic_flag fl = ATOMIC_FLAG_INIT;
_Atomic(struct node *) head;
pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c1 = PTHREAD_COND_INITIALIZER;
int p, q, r0[4], r1[4], r2[4];
";

const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FAILS: [&str; 2] = ["relaxed", "acquire"];

/// Makes programs.
pub(crate) struct Maker<'m> {
    pub(crate) random: &'m mut Mutator,
    /// No relaxed accesses but where that is right.
    strong: bool,
    thread: usize,
}

impl Maker<'_> {
    pub(crate) fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.below(of.len())]
    }

    fn ordering(&mut self, of: &[&'static str], strong: usize) -> String {
        let of = if self.strong { &of[strong..] } else { of };
        format!("memory_order_{}", self.one(of))
    }

    pub(crate) fn load(&mut self) -> String {
        self.ordering(&LOADS, 1)
    }

    pub(crate) fn store(&mut self) -> String {
        self.ordering(&STORES, 1)
    }

    pub(crate) fn update(&mut self) -> String {
        self.ordering(&UPDATES, 3)
    }

    fn fail(&mut self) -> String {
        self.ordering(&FAILS, 0)
    }

    pub(crate) fn variable(&mut self) -> &'static str {
        self.one(&["x", "y", "z"])
    }

    /// Where a thread keeps what it saw.
    pub(crate) fn seen(&mut self) -> String {
        format!("r{}[{}]", self.thread, self.random.below(4))
    }

    fn simple(&mut self) -> String {
        let (v, r) = (self.variable(), self.seen());
        match self.random.below(20) {
            0..7 => format!("atomic_store_explicit(&{v}, {}, {});", self.one(&["1", "1", "2"]), self.store()),
            7..14 => format!("{r} = atomic_load_explicit(&{v}, {});", self.load()),
            14..16 => format!("{r} = atomic_fetch_add_explicit(&{v}, 1, {});", self.update()),
            16..18 => format!(
                "{{ int e = {}; {r} = atomic_compare_exchange_strong_explicit(&{v}, &e, {}, {}, {}); }}",
                self.one(&["0", "1"]),
                self.one(&["1", "2", "3"]),
                self.update(),
                self.fail()
            ),
            _ => format!("atomic_thread_fence({});", self.ordering(&UPDATES[1..], 2)),
        }
    }

    /// What is done under a lock.
    pub(crate) fn section(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(2) {
            let r = self.seen();
            let step = match self.random.below(10) {
                0..3 => String::from("p++;"),
                3..5 => format!("{r} = p;"),
                5 => format!("q = {};", self.random.below(3)),
                6 => format!("{r} = q;"),
                7..9 => self.simple(),
                _ => {
                    format!("atomic_fetch_add_explicit(&{}, 1, {});", self.variable(), self.update())
                }
            };
            text += &step;
            text.push(' ');
        }
        text
    }

    fn lock(&mut self) -> String {
        let (body, r) = (self.section(), self.seen());
        let (m, l) = (self.one(&["m1", "m1", "m2"]), self.one(&["l1", "l1", "l2"]));
        let take = format!("memory_order_{}", self.one(&["acquire", "acquire", "relaxed"]));
        let give = format!("memory_order_{}", self.one(&STORES));
        let free = format!("atomic_store_explicit(&{l}, 0, {give});");
        let pause = self.one(&["", "sched_yield();"]);
        match self.random.below(10) {
            0 => format!("pthread_mutex_lock(&{m}); {body} pthread_mutex_unlock(&{m});"),
            1 => format!("while (atomic_exchange_explicit(&{l}, 1, {take})) {{ {pause} }} {body} {free}"),
            2 => format!(
                "{{ int e = 0; while (!atomic_compare_exchange_{}_explicit(&{l}, &e, 1, {take}, \
                 memory_order_relaxed)) e = 0; }} {body} {free}",
                self.one(&["weak", "strong"])
            ),
            3 => format!(
                "while (atomic_flag_test_and_set_explicit(&fl, {take})); {body} \
                 atomic_flag_clear_explicit(&fl, {give});"
            ),
            4 => format!(
                "{{ int t = atomic_fetch_add_explicit(&next_t, 1, memory_order_relaxed); \
                 while (atomic_load_explicit(&owner_t, {take}) != t) {{ {pause} }} {body} \
                 atomic_store_explicit(&owner_t, t + 1, {give}); }}"
            ),
            5 => format!(
                "if (pthread_mutex_trylock(&{m}) == 0) {{ {body} pthread_mutex_unlock(&{m}); }} else {r} = 7;"
            ),
            6 => format!(
                "do {{ while (atomic_load_explicit(&{l}, memory_order_relaxed)) {{ {pause} }} }} \
                 while (atomic_exchange_explicit(&{l}, 1, {take})); {body} {free}"
            ),
            7 => format!(
                "{{ int n = 0; for (;;) {{ int e = 0; if (atomic_compare_exchange_strong_explicit(&{l}, &e, \
                 1, {take}, memory_order_relaxed)) break; if (++n > {}) {{ n = 0; sched_yield(); }} }} }} \
                 {body} {free}",
                self.one(&["1", "3", "10"])
            ),
            8 => format!(
                "{{ int d = 1; while (atomic_exchange_explicit(&{l}, 1, {take})) {{ \
                 for (int i = 0; i < d; i++) sched_yield(); if (d < 8) d *= 2; }} }} {body} {free}"
            ),
            _ => format!(
                "{{ int got = 0; for (int i = 0; i < {} && !got; i++) \
                 got = !atomic_exchange_explicit(&{l}, 1, {take}); if (got) {{ {body} {free} }} \
                 else {r} = 9; }}",
                self.one(&["2", "3"])
            ),
        }
    }

    fn list(&mut self) -> String {
        let (load, update, fail, r) = (self.load(), self.update(), self.fail(), self.seen());
        let (atomic, kind) = (self.random.below(2) == 0, self.one(&["weak", "strong"]));
        let set = |to: &str| match atomic {
            true => format!("atomic_store_explicit(&n->anext, {to}, memory_order_relaxed);"),
            false => format!("n->next = {to};"),
        };
        let next = if atomic { "atomic_load_explicit(&h->anext, memory_order_relaxed)" } else { "h->next" };
        let new = format!("struct node *n = malloc(sizeof *n); n->val = {};", 1 + self.random.below(3));
        match self.random.below(6) {
            0..3 => format!(
                "{{ {new} struct node *h = atomic_load_explicit(&head, {load}); do {{ {} }} \
                 while (!atomic_compare_exchange_{kind}_explicit(&head, &h, n, {update}, {fail})); }}",
                set("h")
            ),
            3 => format!("{{ struct node *h = atomic_load_explicit(&head, {load}); if (h) {r} = h->val; }}"),
            4 => format!(
                "{{ struct node *h = atomic_load_explicit(&head, {load}); while (h && \
                 !atomic_compare_exchange_strong_explicit(&head, &h, {next}, {update}, {fail})); \
                 if (h) {r} = h->val; }}"
            ),
            _ => format!(
                "{{ {new} {} struct node *o = atomic_exchange_explicit(&head, n, {update}); \
                 if (o) {r} = o->val; }}",
                set("0")
            ),
        }
    }

    fn wait(&mut self) -> String {
        let (v, w, r, s) = (self.variable(), self.variable(), self.seen(), self.seen());
        let (load, again, update, fail) = (self.load(), self.load(), self.update(), self.fail());
        let relaxed = "memory_order_relaxed";
        match self.random.below(10) {
            0 => format!("while (atomic_load_explicit(&{v}, {load}) == 0);"),
            1 => format!(
                "{{ int k; while ((k = atomic_load_explicit(&{v}, {load})) < 1) sched_yield(); {r} = k; }}"
            ),
            2 => format!(
                "{{ int i; for (i = 0; i < {}; i++) if (atomic_load_explicit(&{v}, {load})) break; \
                 {r} = i < 2; }}",
                self.one(&["2", "3"])
            ),
            3 => format!(
                "{{ unsigned n; int a, b; do {{ while ((n = atomic_load_explicit(&seq, {load})) & 1); \
                 a = atomic_load_explicit(&d1, {again}); b = atomic_load_explicit(&d2, {again}); {} }} \
                 while (atomic_load_explicit(&seq, {relaxed}) != n); {r} = a; {s} = b; }}",
                self.one(&["", "atomic_thread_fence(memory_order_acquire);"])
            ),
            4 => format!(
                "{{ unsigned n = atomic_load_explicit(&seq, {relaxed}); while ((n & 1) || \
                 !atomic_compare_exchange_weak_explicit(&seq, &n, n + 1, memory_order_acquire, {relaxed})) \
                 n = atomic_load_explicit(&seq, {relaxed}); {} atomic_store_explicit(&d1, {t}, {}); \
                 atomic_store_explicit(&d2, {t}, {}); atomic_store_explicit(&seq, n + 2, {}); }}",
                self.one(&["", "atomic_thread_fence(memory_order_release);"]),
                self.store(),
                self.store(),
                self.store(),
                t = self.thread + 1
            ),
            5 => format!(
                "while (atomic_load_explicit(&{v}, {load}) == 0 && atomic_load_explicit(&{w}, {again}) == 0);"
            ),
            6 => format!(
                "{{ int k = atomic_fetch_sub_explicit(&z, 1, {update}); while (k <= 0) {{ \
                 atomic_fetch_add_explicit(&z, 1, {update}); \
                 while (atomic_load_explicit(&z, {relaxed}) <= 0); \
                 k = atomic_fetch_sub_explicit(&z, 1, {update}); }} }}"
            ),
            7 => format!(
                "{{ int k = atomic_load_explicit(&{v}, {load}); while \
                 (!atomic_compare_exchange_weak_explicit(&{v}, &k, k + 1, {update}, {fail})); {r} = k; }}"
            ),
            8 => format!(
                "{{ int k; do {{ k = atomic_load_explicit(&{v}, {load}); }} while \
                 (!atomic_compare_exchange_strong_explicit(&{v}, &k, k + 1, {update}, {fail})); }}"
            ),
            _ => format!("__VERIFIER_assume(atomic_load_explicit(&{v}, {load}) != 0);"),
        }
    }

    fn condition(&mut self) -> String {
        let r = self.seen();
        let (lock, unlock) = ("pthread_mutex_lock(&m1);", "pthread_mutex_unlock(&m1);");
        match self.random.below(4) {
            0 => format!("{lock} while (p == 0) pthread_cond_wait(&c1, &m1); {r} = p; p--; {unlock}"),
            1 => format!(
                "{lock} p++; {} {unlock}",
                self.one(&["pthread_cond_signal(&c1);", "pthread_cond_broadcast(&c1);", ""])
            ),
            2 => format!("{lock} if (p == 0) pthread_cond_wait(&c1, &m1); {r} = p; {unlock}"),
            _ => format!("{lock} p++; {unlock} pthread_cond_signal(&c1);"),
        }
    }

    fn unknown(&mut self) -> String {
        let (load, store, r) = (self.load(), self.store(), self.seen());
        let value = "__VERIFIER_nondet_int()";
        match self.random.below(4) {
            0 => format!(
                "{{ int n = {value}; if (n > {}) {{ {} }} else if (n == {}) {{ {} }} }}",
                self.random.below(5),
                self.simple(),
                self.one(&["-1", "0", "1"]),
                self.simple()
            ),
            1 => format!(
                "{{ int n = {value}; __VERIFIER_assume(n >= 0 && n < 3); \
                 atomic_store_explicit(&x, n, {store}); }}"
            ),
            2 => format!("{{ int n = {value}; if (atomic_load_explicit(&x, {load}) == n) {r} = 1; }}"),
            _ => format!("while ({value}) {{ if (atomic_load_explicit(&y, {load})) break; }}"),
        }
    }

    fn statement(&mut self, kind: usize) -> String {
        let other = self.random.below(5);
        match (kind, other) {
            (0, 0) | (1, 0..4) | (5, 0) => self.lock(),
            (0, 1) | (2, 0..4) => self.list(),
            (0, 2) | (3, 0..4) => self.wait(),
            (4, 0..4) => self.condition(),
            (5, 1..4) => self.unknown(),
            (6, 0..4) => self.of_library(),
            (7, 0..4) => self.of_all_kinds(),
            _ => self.simple(),
        }
    }
}

/// A program, and in its first line how to ask about it.
fn program(random: &mut Mutator) -> String {
    let question = *random.pick(&QUESTIONS);
    let threads = *random.pick(&[2, 2, 2, 3, 3]);
    let (kind, strong) = (random.below(8), random.below(2) == 0);
    let mut text = format!("// ask: {question}\n{PREAMBLE}{}", idioms::PREAMBLE);
    let mut maker = Maker { random, strong, thread: 0 };
    for thread in 0..threads {
        maker.thread = thread;
        text += &format!("static void *f{thread}(void *arg)\n{{\n");
        for _ in 0..1 + maker.random.below(3) {
            text += &format!("    {}\n", maker.statement(kind));
        }
        text += "    return arg;\n}\n";
    }
    let begin = maker.one(&["", "z = 1;", "x = 1;"]);
    text +=
        &format!("int main(void)\n{{\n    pthread_t t[{threads}];\n    sem_init(&sem, 0, 1);\n    {begin}\n");
    for call in ["pthread_create(&t[I], 0, fI, 0);", "pthread_join(t[I], 0);"] {
        for thread in 0..threads {
            text += &format!("    {}\n", call.replace('I', &thread.to_string()));
        }
    }
    let mut parts = Vec::new();
    for _ in 0..1 + maker.random.below(3) {
        maker.thread = maker.random.below(threads);
        let of = match maker.random.below(3) {
            0 => maker.one(&["x", "y", "z", "p", "q"]).to_string(),
            _ => maker.seen(),
        };
        let (is, value) = (maker.one(&["==", "==", "!=", ">"]), maker.one(&["0", "1", "1", "2", "3", "7"]));
        parts.push(format!("{of} {is} {value}"));
    }
    text + &format!("    assert(!({}));\n}}\n", parts.join(" && "))
}

pub struct Programs {
    selvedge: PathBuf,
    directory: PathBuf,
}

impl Programs {
    pub fn new(selvedge: &Path) -> Result<Programs, String> {
        Ok(Programs { selvedge: selvedge.to_path_buf(), directory: directory("programs")? })
    }

    /// The exit code and what was printed.
    fn ask(&self, file: &Path, how: &str) -> Result<(i32, String), String> {
        let mut command = Command::new(&self.selvedge);
        command.arg("check").arg(file).args(LIMIT).args(["-j", "1"]).args(how.split_whitespace());
        let output = command.arg("--").arg("-w").stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.code() {
            Some(code @ 0..4) => Ok((code, text)),
            _ => Err(format!("{how}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

impl Subject for Programs {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        program(mutator).into_bytes()
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(input);
        let question = text.lines().next().and_then(|line| line.strip_prefix("// ask: "));
        let Some((one, other)) = question.and_then(|question| question.split_once(" | ")) else {
            return Outcome::Failed(String::from("it does not say how to ask"));
        };
        let file = self.directory.join("input.c");
        if let Err(error) = std::fs::write(&file, input) {
            return Outcome::Failed(error.to_string());
        }
        match (self.ask(&file, one), self.ask(&file, other)) {
            (Err(why), _) | (_, Err(why)) => Outcome::Failed(why),
            (Ok((2, said)), _) => Outcome::Failed(format!("{one}: refused: {said}")),
            (Ok((a, said)), Ok((b, also))) if a < 2 && b < 2 && a != b => {
                Outcome::Failed(format!("{one}:\n{said}\n{other}:\n{also}"))
            }
            (Ok((a, _)), Ok((b, _))) if a < 2 && b < 2 => Outcome::Accepted,
            // One of them did not come to an end, or does not take such programs.
            _ => Outcome::Refused,
        }
    }
}
