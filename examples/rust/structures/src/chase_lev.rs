//! The work-stealing deque of Chase and Lev, on a buffer that does not grow. The owner pushes and takes at the
//! bottom, thieves steal at the top; only the last item is fought over by compare-and-exchange.
//!
//! source: D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005; orderings as in N. M. Le, A. Pop,
//!         A. Cohen, F. Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models", PPoPP 2013

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicI32, fence};
use std::thread;

const SIZE: usize = 4;

/// The mistake: the fences between what one announces and what it looks at do not order the two.
struct Deque<const BUG: bool> {
    top: AtomicI32,
    bottom: AtomicI32,
    buffer: [AtomicI32; SIZE],
}

impl<const BUG: bool> Deque<BUG> {
    const fn new() -> Self {
        Deque {
            top: AtomicI32::new(0),
            bottom: AtomicI32::new(0),
            buffer: [const { AtomicI32::new(0) }; SIZE],
        }
    }

    fn slot(&self, at: i32) -> &AtomicI32 {
        &self.buffer[at as usize % SIZE]
    }

    fn push(&self, item: i32) {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire);
        assert!(bottom - top < SIZE as i32);
        self.slot(bottom).store(item, Relaxed);
        fence(Release);
        self.bottom.store(bottom + 1, Relaxed);
    }

    fn take(&self) -> Option<i32> {
        let bottom = self.bottom.load(Relaxed) - 1;
        self.bottom.store(bottom, Relaxed);
        fence(if BUG { AcqRel } else { SeqCst });
        let top = self.top.load(Relaxed);
        if top > bottom {
            self.bottom.store(bottom + 1, Relaxed);
            return None;
        }
        let item = self.slot(bottom).load(Relaxed);
        if top < bottom {
            return Some(item);
        }
        let won = self.top.compare_exchange(top, top + 1, SeqCst, Relaxed).is_ok();
        self.bottom.store(bottom + 1, Relaxed);
        won.then_some(item)
    }

    fn steal(&self) -> Option<i32> {
        let top = self.top.load(Acquire);
        fence(if BUG { AcqRel } else { SeqCst });
        let bottom = self.bottom.load(Acquire);
        if top >= bottom {
            return None;
        }
        let item = self.slot(top).load(Relaxed);
        self.top.compare_exchange(top, top + 1, SeqCst, Relaxed).ok().map(|_| item)
    }
}

/// The owner pushes two items and takes one; a thief tries to steal twice. No item is handed out twice.
fn play<const BUG: bool>(deque: &'static Deque<BUG>) {
    let thief = thread::spawn(|| (deque.steal(), deque.steal()));
    deque.push(1);
    deque.push(2);
    let taken = deque.take();
    let (first, second) = thief.join().unwrap();
    for (one, other) in [(taken, first), (taken, second), (first, second)] {
        assert!(one.is_none() || one != other);
    }
}

// expect: rc11 verified executions=38
#[test]
fn chase_lev() {
    static DEQUE: Deque<false> = Deque::new();
    play(&DEQUE);
}

// expect: rc11 violated panic
#[test]
fn wrong_chase_lev() {
    static DEQUE: Deque<true> = Deque::new();
    play(&DEQUE);
}
