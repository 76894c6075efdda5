//! The same small programs in C, C++ and Rust: threads with atomic accesses of all orderings, fences,
//! compare-and-exchange, a mutex, plain accesses and loops that wait. All of them are tests of one file in
//! Rust, so that rustc runs once.

use super::generated::Dice;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
    Rust,
}
use Language::{C, Cpp, Rust};

#[derive(Clone, Copy)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}
use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};

impl Order {
    fn text(self, language: Language) -> &'static str {
        let [c, rust] = match self {
            Relaxed => ["memory_order_relaxed", "Relaxed"],
            Acquire => ["memory_order_acquire", "Acquire"],
            Release => ["memory_order_release", "Release"],
            AcqRel => ["memory_order_acq_rel", "AcqRel"],
            SeqCst => ["memory_order_seq_cst", "SeqCst"],
        };
        if language == Rust { rust } else { c }
    }
}

/// A step; what it reads is noted.
enum Step {
    Load(char, Order),
    Store(char, usize, Order),
    Add(char, usize, Order),
    Swap(char, usize, Order),
    /// Compares with, and puts; the orderings of success and failure.
    Exchange(char, usize, usize, Order, Order),
    Fence(Order),
    Locked,
    ReadPlain,
    WritePlain(usize),
    /// Waits until something else than zero is there.
    Await(char, Order),
    /// If what was read last is this.
    If(usize, Box<Step>),
}

const LOADS: [Order; 3] = [Relaxed, Acquire, SeqCst];
const STORES: [Order; 3] = [Relaxed, Release, SeqCst];
const BOTH: [Order; 5] = [Relaxed, Acquire, Release, AcqRel, SeqCst];

fn order(dice: &mut Dice, from: &[Order]) -> Order {
    from[dice.below(from.len())]
}

fn step(dice: &mut Dice) -> Step {
    let place = if dice.below(2) == 0 { 'X' } else { 'Y' };
    match dice.below(24) {
        0..=5 => Step::Load(place, order(dice, &LOADS)),
        6..=10 => Step::Store(place, 1 + dice.below(2), order(dice, &STORES)),
        11 | 12 => Step::Add(place, 1, order(dice, &BOTH)),
        13 => Step::Swap(place, 1 + dice.below(2), order(dice, &BOTH)),
        14 | 15 => {
            let (expected, new) = (dice.below(2), 1 + dice.below(2));
            Step::Exchange(place, expected, new, order(dice, &BOTH), order(dice, &LOADS))
        }
        16 | 17 => Step::Fence(order(dice, &BOTH[1..])),
        18 | 19 => Step::Locked,
        20 => Step::ReadPlain,
        21 => Step::WritePlain(1 + dice.below(2)),
        22 => Step::Await(place, order(dice, &LOADS)),
        _ => Step::If(dice.below(2), Box::new(step(dice))),
    }
}

pub struct Program {
    threads: Vec<Vec<Step>>,
    /// What the first two threads are not to have seen.
    forbidden: [usize; 2],
}

impl Program {
    pub fn new(dice: &mut Dice) -> Program {
        let count = 2 + usize::from(dice.below(3) == 0);
        let threads = (0..count).map(|_| (0..1 + dice.below(4)).map(|_| step(dice)).collect()).collect();
        Program { threads, forbidden: [dice.below(6), dice.below(6)] }
    }

    /// The bodies of the threads.
    fn body(&self, thread: usize, language: Language) -> String {
        let mut text = String::new();
        for step in &self.threads[thread] {
            _ = writeln!(text, "    {}", step.text(language));
        }
        text
    }

    /// A whole program.
    pub fn text(&self, language: Language) -> String {
        let head = if language == C { C_HEAD } else { CPP_HEAD };
        let mut text = String::from(head);
        for thread in 0..self.threads.len() {
            let body = self.body(thread, language);
            let (begin, end) = if language == C { ("void *", "    return 0;\n") } else { ("void ", "") };
            let argument = if language == C { "void *unused" } else { "" };
            _ = write!(
                text,
                "{begin}t{thread}({argument})\n{{\n    unsigned seen = 0, r = 9;\n{body}    (void)r;\n    \
                 S[{thread}] = seen;\n{end}}}\n"
            );
        }
        text += "int main(void)\n{\n";
        let all = 0..self.threads.len();
        if language == C {
            _ = writeln!(text, "    pthread_t t[3];");
            all.clone().for_each(|n| _ = writeln!(text, "    pthread_create(&t[{n}], 0, t{n}, 0);"));
            all.for_each(|n| _ = writeln!(text, "    pthread_join(t[{n}], 0);"));
        } else {
            all.clone().for_each(|n| _ = writeln!(text, "    std::thread h{n}(t{n});"));
            all.for_each(|n| _ = writeln!(text, "    h{n}.join();"));
        }
        let [a, b] = self.forbidden;
        _ = writeln!(text, "    assert(!(S[0] == {a} && S[1] == {b}));\n}}");
        text
    }

    /// A test of a file in Rust.
    pub fn test(&self, number: usize) -> String {
        let mut text = format!("\n#[test]\nfn t{number}() {{\n");
        for thread in 0..self.threads.len() {
            let body = self.body(thread, Rust);
            _ = write!(
                text,
                "let h{thread} = thread::spawn(|| {{\n    let (mut seen, mut r) = (0u32, 9u32);\n{body}    \
                 _ = r;\n    unsafe {{ S[{thread}] = seen }};\n}});\n"
            );
        }
        (0..self.threads.len()).for_each(|n| _ = writeln!(text, "h{n}.join().unwrap();"));
        let [a, b] = self.forbidden;
        _ = writeln!(text, "assert!(!unsafe {{ S[0] == {a} && S[1] == {b} }});\n}}");
        text
    }
}

/// What the tests in Rust share; each is checked for itself.
pub const RUST_HEAD: &str = "
use std::sync::Mutex;
use std::sync::atomic::{fence, AtomicU32, Ordering::*};
use std::thread;
static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static M: Mutex<u32> = Mutex::new(0);
static mut D: u32 = 0;
static mut S: [u32; 3] = [0; 3];
";

const C_HEAD: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic unsigned X, Y;
static unsigned P, D, S[3];
static pthread_mutex_t M = PTHREAD_MUTEX_INITIALIZER;
";

const CPP_HEAD: &str = "#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
using namespace std;
static atomic<unsigned> X, Y;
static unsigned P, D, S[3];
static mutex M;
";

impl Step {
    fn text(&self, language: Language) -> String {
        let of = |order: &Order| order.text(language);
        // Notes what is read.
        let read = |what: String| format!("r = {what}; seen = seen * 4 + r;");
        let call = |place: &char, name: &str, arguments: &str, order: &Order| {
            let order = of(order);
            match (language, name) {
                (C, "swap") => format!("atomic_exchange_explicit(&{place}, {arguments}{order})"),
                (C, _) => format!("atomic_{name}_explicit(&{place}, {arguments}{order})"),
                (Cpp, "swap") => format!("{place}.exchange({arguments}{order})"),
                _ => format!("{place}.{name}({arguments}{order})"),
            }
        };
        match self {
            Step::Load(place, order) => read(call(place, "load", "", order)),
            Step::Store(place, value, order) => {
                format!("{};", call(place, "store", &format!("{value}, "), order))
            }
            Step::Add(place, value, order) => read(call(place, "fetch_add", &format!("{value}, "), order)),
            Step::Swap(place, value, order) => read(call(place, "swap", &format!("{value}, "), order)),
            Step::Exchange(place, expected, new, success, failure) => {
                let (success, failure) = (of(success), of(failure));
                match language {
                    Rust => read(format!(
                        "match {place}.compare_exchange({expected}, {new}, {success}, {failure}) \
                         {{ Ok(old) | Err(old) => old }}"
                    )),
                    C => format!(
                        "r = {expected}; atomic_compare_exchange_strong_explicit(&{place}, &r, {new}, \
                         {success}, {failure}); seen = seen * 4 + r;"
                    ),
                    Cpp => format!(
                        "r = {expected}; {place}.compare_exchange_strong(r, {new}, {success}, {failure}); \
                         seen = seen * 4 + r;"
                    ),
                }
            }
            Step::Fence(order) if language == Rust => format!("fence({});", of(order)),
            Step::Fence(order) => format!("atomic_thread_fence({});", of(order)),
            Step::Locked => match language {
                C => "pthread_mutex_lock(&M); r = P++; pthread_mutex_unlock(&M); seen = seen * 4 + r;".into(),
                Cpp => "{ lock_guard<mutex> held(M); r = P++; } seen = seen * 4 + r;".into(),
                Rust => read("{ let mut held = M.lock().unwrap(); *held += 1; *held - 1 }".into()),
            },
            Step::ReadPlain if language == Rust => read("unsafe { D }".into()),
            Step::ReadPlain => read("D".into()),
            Step::WritePlain(value) if language == Rust => format!("unsafe {{ D = {value} }};"),
            Step::WritePlain(value) => format!("D = {value};"),
            Step::Await(place, order) if language == Rust => {
                format!("while {} == 0 {{}}", call(place, "load", "", order))
            }
            Step::Await(place, order) => format!("while ({} == 0);", call(place, "load", "", order)),
            Step::If(value, step) if language == Rust => {
                format!("if r == {value} {{ {} }}", step.text(language))
            }
            Step::If(value, step) => format!("if (r == {value}) {{ {} }}", step.text(language)),
        }
    }
}
