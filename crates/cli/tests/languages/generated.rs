//! Rust programs of two threads that use the standard library's locks, condition variables, tokens and
//! channels, rightly and wrongly: tests of one file, so that one run of rustc is enough for many.
//!
//! A program notes what it sees in every step, and asserts that it has not seen something picked at random: a
//! verdict says whether that can be seen.

use std::fmt::Write;

/// A generator of numbers (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n as u64) as usize
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const HEAD: &str = "
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, Once, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::Duration;

static M: Mutex<u32> = Mutex::new(0);
static R: RwLock<u32> = RwLock::new(0);
static C: Condvar = Condvar::new();
static O: Once = Once::new();
static B: Barrier = Barrier::new(2);
static A: AtomicU32 = AtomicU32::new(0);

fn lock() -> MutexGuard<'static, u32> {
    M.lock().unwrap_or_else(PoisonError::into_inner)
}

fn once(panics: bool) -> u32 {
    let before = A.load(Relaxed);
    let done = catch_unwind(move || O.call_once_force(|state| {
        A.fetch_add(1 + state.is_poisoned() as u32, Relaxed);
        assert!(!panics);
    }));
    before + 3 * done.is_err() as u32
}
";

/// Steps that give what they saw. They stay within what the library run as it is can be explored with.
const LOCKS: [&str; 12] = [
    "{ let mut g = lock(); *g += 1; *g }",
    "{ let seen = *lock(); seen + A.load(Relaxed) }",
    "match M.try_lock() { Ok(mut g) => { *g += 1; *g } Err(_) => 7 }",
    "{ M.is_poisoned() as u32 }",
    "{ catch_unwind(|| { let _held = lock(); panic!() }).is_err() as u32 }",
    "{ let mut g = R.write().unwrap(); *g += 1; *g }",
    "*R.read().unwrap()",
    "{ let one = R.read().unwrap(); let two = R.read().unwrap(); *one + *two }",
    "match R.try_write() { Ok(mut g) => { *g += 1; *g } Err(_) => 7 }",
    "A.fetch_add(1, Relaxed)",
    "once(false)",
    "once(true)",
];
const WAITS: [&str; 6] = [
    "{ let mut g = lock(); while *g == 0 { g = C.wait(g).unwrap_or_else(PoisonError::into_inner); } *g }",
    "{ let g = lock(); if *g == 0 { *C.wait(g).unwrap_or_else(PoisonError::into_inner) } else { 5 } }",
    "{ let g = lock(); let (g, out) = C.wait_timeout(g, Duration::from_millis(1))
        .unwrap_or_else(PoisonError::into_inner); *g + 3 * out.timed_out() as u32 }",
    "{ thread::park(); A.load(Relaxed) }",
    "{ B.wait().is_leader() as u32 }",
    "{ thread::scope(|s| { s.spawn(|| A.fetch_add(1, Relaxed)); }); A.load(Relaxed) }",
];
const WAKES: [&str; 5] = [
    "{ *lock() += 1; C.notify_one(); 0 }",
    "{ let mut g = lock(); *g += 1; C.notify_all(); *g }",
    "{ C.notify_one(); A.load(Relaxed) }",
    "{ other.unpark(); A.fetch_add(1, Relaxed) }",
    "{ B.wait().is_leader() as u32 }",
];
const CHANNEL: [(&str, &str); 4] = [
    ("tx.send(1).is_ok() as u32", "rx.recv().unwrap_or(9)"),
    ("tx.send(1).is_ok() as u32", "rx.try_recv().unwrap_or(9)"),
    ("{ drop(tx.send(1)); 0 }", "{ drop(rx); 0 }"),
    ("{ drop(tx); 0 }", "rx.recv().unwrap_or(9)"),
];

fn steps(dice: &mut Dice, from: &[&str], most: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + dice.below(most) {
        let step = dice.of(from);
        _ = writeln!(text, "        seen = seen * 10 + {{ {step} }} % 10;");
    }
    text
}

/// A file with so many tests. Threads may know each other (`other`), for tokens.
pub fn tests(dice: &mut Dice, count: usize) -> String {
    let mut text = String::from(HEAD);
    for n in 0..count {
        let (mut first, mut second, mut channel) = (String::new(), String::new(), "");
        match dice.below(4) {
            0 | 1 => {
                first += &steps(dice, &LOCKS, 2);
                second += &steps(dice, &LOCKS, 2);
            }
            2 => {
                first += &steps(dice, &WAITS, 1);
                second += &steps(dice, &WAKES, 2);
            }
            _ => {
                let (sent, received) = CHANNEL[dice.below(CHANNEL.len())];
                channel = dice.of(&["mpsc::channel::<u32>()", "mpsc::sync_channel::<u32>(1)"]);
                first += &format!("        seen = seen * 10 + {{ {received} }};\n");
                second += &format!("        seen = seen * 10 + {{ {sent} }};\n");
            }
        }
        let channel = match channel {
            "" => String::new(),
            made => format!("    let (tx, rx) = {made};\n"),
        };
        let (x, y) = (dice.below(3), dice.below(3));
        _ = write!(
            text,
            "
#[test]
fn t{n}() {{
    let other = thread::current();
{channel}    let thread = thread::spawn(move || {{
        let mut seen = 0;
{second}        _ = other;
        seen
    }});
    let other = thread.thread().clone();
    let mut seen = 0;
    {{
{first}    }}
    _ = other;
    let theirs = thread.join().unwrap();
    assert_ne!((seen, theirs), ({x}, {y}));
}}
"
        );
    }
    text
}
