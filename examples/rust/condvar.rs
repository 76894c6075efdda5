// Two waiters and `notify_all`.
//
// expect: rc11 verified
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let waiters: Vec<_> = (0..2)
        .map(|_| {
            let pair = Arc::clone(&pair);
            thread::spawn(move || {
                let mut open = pair.0.lock().unwrap();
                while !*open {
                    open = pair.1.wait(open).unwrap();
                }
            })
        })
        .collect();
    *pair.0.lock().unwrap() = true;
    pair.1.notify_all();
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
}
