// A message behind a flag that is set without ordering it after the message.
//
// expect: rc11 violated data-race line=22
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::{Acquire, Relaxed}};
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
    MESSAGE.ready.store(true, Relaxed);
    reader.join().unwrap();
}
