// A variable of a block whose address a thread is given: the block waits for the thread.
// In block-bug.rs it does not.
//
// expect: rc11 verified
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::thread;

static SHARED: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

fn main() {
    let counting = thread::spawn(|| {
        let counter = SHARED.load(Ordering::Acquire);
        if !counter.is_null() {
            unsafe { &*counter }.fetch_add(1, Ordering::Relaxed);
        }
    });
    {
        let counter = AtomicU32::new(0);
        SHARED.store(ptr::from_ref(&counter).cast_mut(), Ordering::Release);
        counter.fetch_add(1, Ordering::Relaxed);
        counting.join().unwrap();
    }
    // Lies where the other one was.
    let later = AtomicU32::new(1);
    assert_eq!(later.load(Ordering::Relaxed), 1);
}
