// A writer and two readers of a pair behind a sequence lock; readers look once.
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::thread;

static VERSION: AtomicU32 = AtomicU32::new(0);
static ONE: AtomicU32 = AtomicU32::new(0);
static TWO: AtomicU32 = AtomicU32::new(0);

fn read_pair() {
    let before = VERSION.load(Acquire);
    let pair = (ONE.load(Acquire), TWO.load(Acquire));
    let after = VERSION.load(Relaxed);
    if before == after && before % 2 == 0 {
        assert_eq!(pair.0, pair.1);
    }
}

fn main() {
    let readers = [thread::spawn(read_pair), thread::spawn(read_pair)];
    VERSION.store(1, Relaxed);
    ONE.store(1, Release);
    TWO.store(1, Release);
    VERSION.store(2, Release);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}
