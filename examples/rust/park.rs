// A thread that parks until a flag is set.
//
// expect: rc11 verified executions=4
use std::sync::atomic::{AtomicBool, Ordering::{Acquire, Release}};
use std::thread;

static FLAG: AtomicBool = AtomicBool::new(false);

fn main() {
    let parked = thread::spawn(|| {
        while !FLAG.load(Acquire) {
            thread::park();
        }
    });
    FLAG.store(true, Release);
    parked.thread().unpark();
    parked.join().unwrap();
}
