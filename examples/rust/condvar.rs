// Two waiters and `notify_all`.
//
// expect: rc11 verified executions=66
use std::sync::{Condvar, Mutex};
use std::thread;

static OPEN: Mutex<bool> = Mutex::new(false);
static OPENED: Condvar = Condvar::new();

fn main() {
    let waiters = [(); 2].map(|()| {
        thread::spawn(|| {
            let mut open = OPEN.lock().unwrap();
            while !*open {
                open = OPENED.wait(open).unwrap();
            }
        })
    });
    *OPEN.lock().unwrap() = true;
    OPENED.notify_all();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}
