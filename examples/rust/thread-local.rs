// Variables of a thread's own are dropped at its end.
//
// expect: rc11 verified executions=1
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Noticed(u32);

impl Drop for Noticed {
    fn drop(&mut self) {
        DROPPED.fetch_add(self.0, Relaxed);
    }
}

thread_local! {
    static OWN: RefCell<Noticed> = RefCell::new(Noticed(1));
}

fn main() {
    OWN.with(|own| own.borrow_mut().0 = 10);
    let thread = thread::spawn(|| OWN.with(|own| own.borrow_mut().0 += 1));
    thread.join().unwrap();
    assert_eq!(DROPPED.load(Relaxed), 2);
    OWN.with(|own| assert_eq!(own.borrow().0, 10));
}
