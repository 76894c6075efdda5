// Store buffering with sequentially consistent accesses: at least one thread sees the other's store.
//
// expect: rc11 verified
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let one = thread::spawn(|| {
        X.store(1, SeqCst);
        Y.load(SeqCst)
    });
    let other = thread::spawn(|| {
        Y.store(1, SeqCst);
        X.load(SeqCst)
    });
    assert!(one.join().unwrap() == 1 || other.join().unwrap() == 1);
}
