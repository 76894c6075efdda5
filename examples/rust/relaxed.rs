// Three threads that store and load without any ordering: every execution once.
//
// expect: rc11 verified executions=36
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);

fn main() {
    let threads = [1, 2, 3].map(|n| {
        thread::spawn(move || {
            X.store(n, Relaxed);
            X.load(Relaxed)
        })
    });
    let seen = threads.map(|thread| thread.join().unwrap());
    assert!(seen.iter().all(|n| (1..=3).contains(n)));
}
