// Two waiters and one `notify_one`: it may wake the one, and nobody wakes the other.
//
// expect: rc11 violated deadlock
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
    OPENED.notify_one();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}
