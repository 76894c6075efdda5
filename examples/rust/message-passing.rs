// A message behind a flag.
//
// expect: rc11 verified
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::{Acquire, Release}};
use std::thread;

struct Message {
    text: UnsafeCell<u32>,
    ready: AtomicBool,
}

// SAFETY: the text is written before it is ready, and read after that.
unsafe impl Sync for Message {}

static MESSAGE: Message = Message { text: UnsafeCell::new(0), ready: AtomicBool::new(false) };

fn main() {
    let reader = thread::spawn(|| {
        while !MESSAGE.ready.load(Acquire) {}
        // SAFETY: it is ready.
        assert_eq!(unsafe { *MESSAGE.text.get() }, 42);
    });
    // SAFETY: nobody reads it yet.
    unsafe { *MESSAGE.text.get() = 42 };
    MESSAGE.ready.store(true, Release);
    reader.join().unwrap();
}
