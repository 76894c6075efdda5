//! A ring for one producer and one consumer: each has an index of its own, and looks at the other's.
//!
//! source: L. Lamport, "Proving the Correctness of Multiprocess Programs", IEEE TSE 3(2), 1977

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;

const SIZE: usize = 2;

/// The mistake: a slot is given back without an ordering.
struct Ring<const BUG: bool> {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [UnsafeCell<u32>; SIZE],
}

// SAFETY: one thread pushes, one pops; a slot belongs to one of them at a time.
unsafe impl<const BUG: bool> Sync for Ring<BUG> {}

impl<const BUG: bool> Ring<BUG> {
    const fn new() -> Self {
        Ring {
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            slots: [const { UnsafeCell::new(0) }; SIZE],
        }
    }

    fn push(&self, value: u32) -> bool {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(Acquire) == SIZE {
            return false;
        }
        // SAFETY: the slot is the producer's.
        unsafe { *self.slots[tail % SIZE].get() = value };
        self.tail.store(tail + 1, Release);
        true
    }

    fn pop(&self) -> Option<u32> {
        let head = self.head.load(Relaxed);
        if self.tail.load(Acquire) == head {
            return None;
        }
        // SAFETY: the slot is the consumer's.
        let value = unsafe { *self.slots[head % SIZE].get() };
        self.head.store(head + 1, if BUG { Relaxed } else { Release });
        Some(value)
    }
}

/// Three items through two slots: what comes out comes in order.
fn play<const BUG: bool>(ring: &'static Ring<BUG>) {
    let producer = thread::spawn(|| (1..=3).for_each(|value| while !ring.push(value) {}));
    for value in 1..=3 {
        let popped = loop {
            if let Some(popped) = ring.pop() {
                break popped;
            }
        };
        assert_eq!(popped, value);
    }
    producer.join().unwrap();
}

// expect: rc11 verified executions=9
#[test]
fn spsc() {
    static RING: Ring<false> = Ring::new();
    play(&RING);
}

// expect: rc11 violated data-race
#[test]
fn wrong_spsc() {
    static RING: Ring<true> = Ring::new();
    play(&RING);
}
