// Two scoped threads that borrow.
//
// expect: rc11 verified executions=781
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

fn main() {
    let sum = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| sum.fetch_add(1, Relaxed));
        scope.spawn(|| sum.fetch_add(2, Relaxed));
    });
    assert_eq!(sum.into_inner(), 3);
}
