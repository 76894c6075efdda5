//! The queue of Michael and Scott: a list with a dummy node; the tail may lag a node behind, and whoever finds
//! it lagging moves it on. Nodes are not reclaimed.
//!
//! source: M. M. Michael, M. L. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue
//!         Algorithms", PODC 1996

use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::thread;

struct Node {
    value: u32,
    next: AtomicPtr<Node>,
}

/// The mistake: a node is linked without an ordering.
struct Queue<const BUG: bool> {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
}

impl<const BUG: bool> Queue<BUG> {
    fn new() -> Self {
        let dummy = Self::node(0);
        Queue { head: AtomicPtr::new(dummy), tail: AtomicPtr::new(dummy) }
    }

    fn node(value: u32) -> *mut Node {
        Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(ptr::null_mut()) }))
    }

    fn enqueue(&self, value: u32) {
        let node = Self::node(value);
        loop {
            let last = self.tail.load(Acquire);
            // SAFETY: nodes are not freed.
            let next = unsafe { &(*last).next };
            let found = next.load(Acquire);
            if !found.is_null() {
                _ = self.tail.compare_exchange(last, found, Release, Relaxed);
                continue;
            }
            let order = if BUG { Relaxed } else { Release };
            if next.compare_exchange(found, node, order, Relaxed).is_ok() {
                _ = self.tail.compare_exchange(last, node, Release, Relaxed);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<u32> {
        loop {
            let first = self.head.load(Acquire);
            let last = self.tail.load(Acquire);
            // SAFETY: nodes are not freed.
            let next = unsafe { (*first).next.load(Acquire) };
            if next.is_null() {
                return None;
            }
            if first == last {
                _ = self.tail.compare_exchange(last, next, Release, Relaxed);
                continue;
            }
            // SAFETY: as above.
            let value = unsafe { (*next).value };
            if self.head.compare_exchange(first, next, AcqRel, Relaxed).is_ok() {
                return Some(value);
            }
        }
    }
}

/// Two threads enqueue, a third dequeues once; all that was enqueued is there in the end.
fn play<const BUG: bool>() {
    let queue: &'static Queue<BUG> = Box::leak(Box::new(Queue::new()));
    let enqueuers = [1, 2].map(|value| thread::spawn(move || queue.enqueue(value)));
    let dequeuer = thread::spawn(|| queue.dequeue().unwrap_or(0));
    enqueuers.into_iter().for_each(|thread| thread.join().unwrap());
    let mut sum = dequeuer.join().unwrap();
    while let Some(value) = queue.dequeue() {
        sum += value;
    }
    assert_eq!(sum, 3);
}

// expect: rc11 verified executions=6
#[test]
fn ms_queue() {
    play::<false>();
}

// expect: rc11 violated unpublished-object
#[test]
fn wrong_ms_queue() {
    play::<true>();
}
