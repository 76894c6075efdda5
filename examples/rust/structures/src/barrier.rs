//! A barrier that turns its sense: the last to arrive resets the count and turns it, the others wait for that.
//!
//! source: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;

const THREADS: usize = 2;

/// The mistake: arriving does not publish what was done before.
struct Barrier<const BUG: bool> {
    left: AtomicUsize,
    sense: AtomicBool,
    work: [UnsafeCell<u32>; THREADS],
}

// SAFETY: a thread writes its own part before the barrier, and all read all of them after it.
unsafe impl<const BUG: bool> Sync for Barrier<BUG> {}

impl<const BUG: bool> Barrier<BUG> {
    const fn new() -> Self {
        Barrier {
            left: AtomicUsize::new(THREADS),
            sense: AtomicBool::new(false),
            work: [const { UnsafeCell::new(0) }; THREADS],
        }
    }

    fn wait(&self, sense: bool) {
        if self.left.fetch_sub(1, if BUG { Relaxed } else { AcqRel }) == 1 {
            self.left.store(THREADS, Relaxed);
            self.sense.store(sense, Release);
        } else {
            while self.sense.load(Acquire) != sense {}
        }
    }

    /// SAFETY (of both accesses): see `Sync`.
    fn round(&self, me: usize) -> u32 {
        unsafe { *self.work[me].get() = 1 };
        self.wait(true);
        let sum = self.work.iter().map(|part| unsafe { *part.get() }).sum();
        self.wait(false);
        sum
    }
}

fn play<const BUG: bool>(barrier: &'static Barrier<BUG>) {
    let threads: [_; THREADS] = std::array::from_fn(|me| thread::spawn(move || barrier.round(me)));
    for thread in threads {
        assert_eq!(thread.join().unwrap(), THREADS as u32);
    }
}

// expect: rc11 verified
#[test]
fn barrier() {
    static BARRIER: Barrier<false> = Barrier::new();
    play(&BARRIER);
}

// expect: rc11 violated data-race
#[test]
fn wrong_barrier() {
    static BARRIER: Barrier<true> = Barrier::new();
    play(&BARRIER);
}
