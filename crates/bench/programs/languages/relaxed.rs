// Three threads that store and load.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);

fn main() {
    let threads = [1, 2, 3].map(|n| {
        thread::spawn(move || {
            X.store(n, Relaxed);
            X.load(Relaxed);
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
