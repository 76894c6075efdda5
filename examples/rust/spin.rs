// A loop that waits, without yielding: it is not iterated.
//
// expect: rc11 verified executions=1
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);
static DATA: AtomicU32 = AtomicU32::new(0);

fn main() {
    let thread = thread::spawn(|| {
        DATA.store(42, Relaxed);
        READY.store(true, Release);
    });
    while !READY.load(Acquire) {}
    assert_eq!(DATA.load(Relaxed), 42);
    thread.join().unwrap();
}
