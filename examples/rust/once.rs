// Three threads that ask for a value which is made once.
//
// expect: rc11 verified executions=27
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static VALUE: OnceLock<u32> = OnceLock::new();
static MADE: AtomicU32 = AtomicU32::new(0);

fn main() {
    let ask = || {
        *VALUE.get_or_init(|| {
            MADE.fetch_add(1, Relaxed);
            7
        })
    };
    let threads = [thread::spawn(ask), thread::spawn(ask), thread::spawn(ask)];
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 7);
    }
    assert_eq!(MADE.load(Relaxed), 1);
}
