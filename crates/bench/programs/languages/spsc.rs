// One thread sends three numbers through a ring of two places.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::thread;

struct Ring([UnsafeCell<u32>; 2]);
unsafe impl Sync for Ring {}

static RING: Ring = Ring([UnsafeCell::new(0), UnsafeCell::new(0)]);
static HEAD: AtomicU32 = AtomicU32::new(0);
static TAIL: AtomicU32 = AtomicU32::new(0);

fn main() {
    let sender = thread::spawn(|| {
        for i in 0..3 {
            while i - HEAD.load(Acquire) == 2 {}
            unsafe { *RING.0[i as usize % 2].get() = i + 1 };
            TAIL.store(i + 1, Release);
        }
    });
    for i in 0..3 {
        while TAIL.load(Acquire) == i {}
        assert_eq!(unsafe { *RING.0[i as usize % 2].get() }, i + 1);
        HEAD.store(i + 1, Release);
    }
    sender.join().unwrap();
}
