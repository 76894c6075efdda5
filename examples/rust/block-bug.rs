// A variable of a block whose address a thread is given: the thread may still use it when the block is over.
// See block.rs.
//
// expect: rc11 violated dead-stack
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
    }
    counting.join().unwrap();
}
