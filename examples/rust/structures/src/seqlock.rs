//! A sequence lock: the writer makes the counter odd while it writes, readers try again if it was odd or has
//! changed. The data are relaxed atomics, since readers may look at them during a write.
//!
//! source: H.-J. Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC 2012

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, fence};
use std::thread;

/// The mistake: what is read may be read after the second look at the counter.
struct SeqLock<const BUG: bool> {
    sequence: AtomicU32,
    left: AtomicU32,
    right: AtomicU32,
}

impl<const BUG: bool> SeqLock<BUG> {
    const fn new() -> Self {
        SeqLock { sequence: AtomicU32::new(0), left: AtomicU32::new(0), right: AtomicU32::new(0) }
    }

    fn update(&self, value: u32) {
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence + 1, Relaxed);
        fence(Release);
        self.left.store(value, Relaxed);
        self.right.store(value, Relaxed);
        self.sequence.store(sequence + 2, Release);
    }

    fn look(&self) -> (u32, u32) {
        loop {
            let sequence = self.sequence.load(Acquire);
            if sequence % 2 != 0 {
                continue;
            }
            let found = (self.left.load(Relaxed), self.right.load(Relaxed));
            if !BUG {
                fence(Acquire);
            }
            if self.sequence.load(Relaxed) == sequence {
                return found;
            }
        }
    }
}

fn play<const BUG: bool>(lock: &'static SeqLock<BUG>) {
    let writer = thread::spawn(|| lock.update(1));
    let (left, right) = lock.look();
    assert_eq!(left, right);
    writer.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn seqlock() {
    static LOCK: SeqLock<false> = SeqLock::new();
    play(&LOCK);
}

// expect: rc11 violated panic
#[test]
fn wrong_seqlock() {
    static LOCK: SeqLock<true> = SeqLock::new();
    play(&LOCK);
}
