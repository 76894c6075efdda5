// The same with acquire and release, which do not order a store before a load that comes after it.
//
// expect: sc verified
// expect: rc11 violated panic line=20
use std::sync::atomic::{AtomicU32, Ordering::{Acquire, Release}};
use std::thread;

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let one = thread::spawn(|| {
        X.store(1, Release);
        Y.load(Acquire)
    });
    let other = thread::spawn(|| {
        Y.store(1, Release);
        X.load(Acquire)
    });
    assert!(one.join().unwrap() == 1 || other.join().unwrap() == 1);
}
