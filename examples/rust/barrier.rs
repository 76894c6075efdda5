// Three threads that meet: what each wrote before is seen by all after.
//
// expect: rc11 verified
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;

static SUM: AtomicU32 = AtomicU32::new(0);

fn main() {
    let barrier = Arc::new(Barrier::new(3));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                SUM.fetch_add(1, Relaxed);
                barrier.wait();
                assert_eq!(SUM.load(Relaxed), 3);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
