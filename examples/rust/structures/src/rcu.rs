//! Read-copy-update in small: a reader announces itself, follows the current pointer and leaves; the updater
//! publishes a new version, waits until no reader that could have seen the old one is inside, and frees it.
//!
//! source: P. E. McKenney, J. D. Slingwine, "Read-Copy Update: Using Execution History to Solve Concurrency
//!         Problems", PDCS 1998

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, fence};
use std::thread;

struct Version {
    left: u32,
    right: u32,
}

/// The mistake: the updater does not wait for readers.
struct Shared<const BUG: bool> {
    current: AtomicPtr<Version>,
    inside: AtomicBool,
}

impl<const BUG: bool> Shared<BUG> {
    fn read(&self) -> (u32, u32) {
        self.inside.store(true, Relaxed);
        fence(SeqCst);
        // SAFETY: versions are not freed while a reader is inside.
        let version = unsafe { &*self.current.load(Acquire) };
        let found = (version.left, version.right);
        self.inside.store(false, Release);
        found
    }

    fn update(&self, value: u32) {
        let new = Box::into_raw(Box::new(Version { left: value, right: value }));
        let old = self.current.swap(new, AcqRel);
        fence(SeqCst);
        while !BUG && self.inside.load(Acquire) {}
        // SAFETY: whoever comes now finds the new one.
        drop(unsafe { Box::from_raw(old) });
    }
}

fn play<const BUG: bool>() {
    let first = Box::into_raw(Box::new(Version { left: 1, right: 1 }));
    let shared: &'static Shared<BUG> =
        Box::leak(Box::new(Shared { current: AtomicPtr::new(first), inside: AtomicBool::new(false) }));
    let reader = thread::spawn(|| shared.read());
    shared.update(2);
    let (left, right) = reader.join().unwrap();
    assert_eq!(left, right);
}

// expect: rc11 verified executions=3
#[test]
fn rcu() {
    play::<false>();
}

// expect: rc11 violated use-after-free
#[test]
fn wrong_rcu() {
    play::<true>();
}
