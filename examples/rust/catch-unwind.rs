// A panic that is caught, and what it leaves behind: a mutex that is poisoned.
//
// expect: rc11 verified
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

fn main() {
    let lock = Mutex::new(1);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _guard = lock.lock().unwrap();
        panic!("while the lock is taken");
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"while the lock is taken"));
    assert!(lock.is_poisoned());
    assert_eq!(*lock.lock().unwrap_err().into_inner(), 1);
}
