// A spin lock that does not yield.
//
// expect: rc11 verified executions=6
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::{Acquire, Relaxed, Release}};
use std::thread;

struct SpinLock {
    taken: AtomicBool,
    count: UnsafeCell<u32>,
}

// SAFETY: the count is accessed by who has the lock.
unsafe impl Sync for SpinLock {}

impl SpinLock {
    fn with(&self, work: impl FnOnce(&mut u32)) {
        while self.taken.compare_exchange(false, true, Acquire, Relaxed).is_err() {}
        // SAFETY: this thread has the lock.
        work(unsafe { &mut *self.count.get() });
        self.taken.store(false, Release);
    }
}

static LOCK: SpinLock = SpinLock { taken: AtomicBool::new(false), count: UnsafeCell::new(0) };

fn main() {
    let threads = [(); 3].map(|()| thread::spawn(|| LOCK.with(|count| *count += 1)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    LOCK.with(|count| assert_eq!(*count, 3));
}
