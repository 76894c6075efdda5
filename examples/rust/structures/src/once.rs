//! A cell that is initialised once: whoever comes first does it, others wait.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;

const EMPTY: u32 = 0;
const BUSY: u32 = 1;
const FULL: u32 = 2;

/// The mistake: who finds it full need not see what is in it.
struct Once<const BUG: bool> {
    state: AtomicU32,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is written by one thread, before it is said to be there.
unsafe impl<const BUG: bool> Sync for Once<BUG> {}

impl<const BUG: bool> Once<BUG> {
    const fn new() -> Self {
        Once { state: AtomicU32::new(EMPTY), value: UnsafeCell::new(0) }
    }

    fn get(&self, make: impl FnOnce() -> u32) -> u32 {
        let look = if BUG { Relaxed } else { Acquire };
        if self.state.load(look) != FULL {
            if self.state.compare_exchange(EMPTY, BUSY, Acquire, Relaxed).is_ok() {
                // SAFETY: this thread came first, and others wait.
                unsafe { *self.value.get() = make() };
                self.state.store(FULL, Release);
            } else {
                while self.state.load(Acquire) != FULL {}
            }
        }
        // SAFETY: it is written, and nobody writes it again.
        unsafe { *self.value.get() }
    }
}

fn play<const BUG: bool>(once: &'static Once<BUG>) {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let ask = || once.get(|| 7 + MADE.fetch_add(1, Relaxed));
    let threads = [thread::spawn(ask), thread::spawn(ask)];
    assert_eq!(threads.map(|thread| thread.join().unwrap()), [7, 7]);
}

// expect: rc11 verified
#[test]
fn once() {
    static ONCE: Once<false> = Once::new();
    play(&ONCE);
}

// expect: rc11 violated data-race
#[test]
fn wrong_once() {
    static ONCE: Once<true> = Once::new();
    play(&ONCE);
}
