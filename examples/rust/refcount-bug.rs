// A reference count of one's own that is given up without ordering what came before: memory is freed while another
// thread may still use it.
//
// expect: sc violated data-race
// expect: rc11 violated
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

struct Inner {
    count: AtomicUsize,
    value: u32,
}

struct Rc(*mut Inner);

// SAFETY: this is what is wrong.
unsafe impl Send for Rc {}

impl Drop for Rc {
    fn drop(&mut self) {
        // SAFETY: it is there as long as somebody counts.
        unsafe {
            if (*self.0).count.fetch_sub(1, Relaxed) == 1 {
                (*self.0).value = 0;
                drop(Box::from_raw(self.0));
            }
        }
    }
}

fn main() {
    let inner = Box::into_raw(Box::new(Inner { count: AtomicUsize::new(2), value: 7 }));
    let (one, other) = (Rc(inner), Rc(inner));
    let thread = thread::spawn(move || {
        let one = one;
        // SAFETY: as above.
        assert_eq!(unsafe { (*one.0).value }, 7);
    });
    drop(other);
    thread.join().unwrap();
}
