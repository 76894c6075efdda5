// The last one drops what an `Arc` holds, and nobody else touches it then.
//
// expect: rc11 verified executions=8
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Counted(u32);

impl Drop for Counted {
    fn drop(&mut self) {
        assert_eq!(self.0, 7);
        DROPPED.fetch_add(1, Relaxed);
    }
}

fn main() {
    let shared = Arc::new(Counted(7));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || assert_eq!(shared.0, 7))
        })
        .collect();
    drop(shared);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(DROPPED.load(Relaxed), 1);
}
