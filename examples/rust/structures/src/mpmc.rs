//! A bounded ring for many producers and consumers. Each cell has a sequence number that says whose turn it is.
//!
//! source: D. Vyukov, "Bounded MPMC queue", 1024cores.net, 2010

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;

const SIZE: usize = 2;

struct Cell {
    sequence: AtomicUsize,
    item: UnsafeCell<u32>,
}

/// The mistake: the turn of a cell is looked at without an ordering.
struct Queue<const BUG: bool> {
    enqueue: AtomicUsize,
    dequeue: AtomicUsize,
    cells: [Cell; SIZE],
}

// SAFETY: an item belongs to the thread whose turn it is.
unsafe impl<const BUG: bool> Sync for Queue<BUG> {}

impl<const BUG: bool> Queue<BUG> {
    const fn new() -> Self {
        Queue {
            enqueue: AtomicUsize::new(0),
            dequeue: AtomicUsize::new(0),
            cells: [
                Cell { sequence: AtomicUsize::new(0), item: UnsafeCell::new(0) },
                Cell { sequence: AtomicUsize::new(1), item: UnsafeCell::new(0) },
            ],
        }
    }

    fn enqueue(&self, item: u32) -> bool {
        let mut at = self.enqueue.load(Relaxed);
        loop {
            let cell = &self.cells[at % SIZE];
            let turn = cell.sequence.load(Acquire).wrapping_sub(at) as isize;
            if turn < 0 {
                return false;
            }
            if turn > 0 {
                at = self.enqueue.load(Relaxed);
                continue;
            }
            match self.enqueue.compare_exchange(at, at + 1, Relaxed, Relaxed) {
                Ok(_) => {
                    // SAFETY: it is this thread's turn.
                    unsafe { *cell.item.get() = item };
                    cell.sequence.store(at + 1, Release);
                    return true;
                }
                Err(found) => at = found,
            }
        }
    }

    fn dequeue(&self) -> Option<u32> {
        let mut at = self.dequeue.load(Relaxed);
        loop {
            let cell = &self.cells[at % SIZE];
            let look = if BUG { Relaxed } else { Acquire };
            let turn = cell.sequence.load(look).wrapping_sub(at + 1) as isize;
            if turn < 0 {
                return None;
            }
            if turn > 0 {
                at = self.dequeue.load(Relaxed);
                continue;
            }
            match self.dequeue.compare_exchange(at, at + 1, Relaxed, Relaxed) {
                Ok(_) => {
                    // SAFETY: it is this thread's turn.
                    let item = unsafe { *cell.item.get() };
                    cell.sequence.store(at + SIZE, Release);
                    return Some(item);
                }
                Err(found) => at = found,
            }
        }
    }
}

/// Two threads enqueue an item each and dequeue one: they do not get the same.
fn play<const BUG: bool>(queue: &'static Queue<BUG>) {
    let work = move |item| move || queue.enqueue(item).then(|| queue.dequeue()).flatten();
    let threads = [1, 2].map(|item| thread::spawn(work(item)));
    let [one, other] = threads.map(|thread| thread.join().unwrap());
    assert!(one.is_none() || one != other);
}

// expect: rc11 verified executions=8
#[test]
fn mpmc() {
    static QUEUE: Queue<false> = Queue::new();
    play(&QUEUE);
}

// expect: rc11 violated data-race
#[test]
fn wrong_mpmc() {
    static QUEUE: Queue<true> = Queue::new();
    play(&QUEUE);
}
