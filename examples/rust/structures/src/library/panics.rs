//! Panics: caught, told by joining, poison.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::{Mutex, Once, PoisonError, RwLock};
use std::thread;

// expect: rc11 verified executions=1
#[test]
fn caught() {
    let result = panic::catch_unwind(|| {
        let list: Vec<u32> = Vec::new();
        list[0]
    });
    assert!(result.is_err());
}

// expect: rc11 verified
#[test]
fn payload() {
    let result = panic::catch_unwind(|| panic!("number {}", std::hint::black_box(3)));
    assert_eq!(result.unwrap_err().downcast_ref::<String>().map(String::as_str), Some("number 3"));
    let result = panic::catch_unwind(|| panic::panic_any(7u8));
    assert_eq!(result.unwrap_err().downcast_ref::<u8>(), Some(&7));
}

// expect: rc11 verified executions=1
#[test]
fn dropped_on_the_way() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    struct Noisy;
    impl Drop for Noisy {
        fn drop(&mut self) {
            assert!(thread::panicking());
            DROPPED.fetch_add(1, Relaxed);
        }
    }
    let result = panic::catch_unwind(|| {
        let _one = Noisy;
        let _list = [Noisy, Noisy];
        panic!("away");
    });
    assert!(result.is_err());
    assert_eq!(DROPPED.load(Relaxed), 3);
}

/// What a thread does last is to catch: nothing of the program's own is left between it and the library.
// expect: rc11 verified executions=1
#[test]
fn caught_at_the_end_of_a_thread() {
    let caught = thread::spawn(|| panic::catch_unwind(|| panic!("caught"))).join().unwrap();
    assert!(caught.is_err());
    thread::scope(|scope| {
        let thread = scope.spawn(|| panic::catch_unwind(|| panic!("caught, too")));
        assert!(thread.join().unwrap().is_err());
    });
}

// expect: rc11 violated panic
#[test]
fn caught_at_the_end_of_another_thread() {
    _ = thread::spawn(|| panic::catch_unwind(|| panic!("caught"))).join();
    _ = thread::spawn(|| panic!("not caught")).join();
}

// expect: rc11 verified executions=4
#[test]
fn poisoned() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let thread = thread::spawn(|| {
        _ = panic::catch_unwind(|| {
            let mut count = COUNT.lock().unwrap_or_else(PoisonError::into_inner);
            *count = 1;
            panic!("while it is held");
        });
    });
    match COUNT.lock() {
        Ok(count) => assert_eq!(*count, 0),
        Err(poisoned) => assert_eq!(*poisoned.into_inner(), 1),
    }
    thread.join().unwrap();
    assert!(COUNT.is_poisoned());
    COUNT.clear_poison();
    assert!(COUNT.lock().is_ok());
}

// expect: rc11 violated panic
#[test]
fn wrong_poison_not_thought_of() {
    static COUNT: RwLock<u32> = RwLock::new(0);
    let thread = thread::spawn(|| {
        _ = panic::catch_unwind(|| {
            let _held = COUNT.write();
            panic!("while it is held");
        });
    });
    assert_eq!(*COUNT.read().unwrap(), 0);
    thread.join().unwrap();
}

// expect: rc11 verified executions=1
#[test]
fn tried_again() {
    static ONCE: Once = Once::new();
    assert!(panic::catch_unwind(|| ONCE.call_once(|| panic!("not yet"))).is_err());
    ONCE.call_once_force(|state| assert!(state.is_poisoned()));
    assert!(ONCE.is_completed());
}

// expect: rc11 verified executions=1
#[test]
fn resumed() {
    let outer = panic::catch_unwind(|| {
        let inner = panic::catch_unwind(|| panic!("first"));
        panic::resume_unwind(inner.unwrap_err());
    });
    assert_eq!(outer.unwrap_err().downcast_ref::<&str>(), Some(&"first"));
}

/// Only in one order.
// expect: rc11 violated panic
#[test]
fn wrong_sometimes() {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let take = || {
        let at = NEXT.load(Relaxed);
        NEXT.store(at + 1, Relaxed);
        [10, 20][at as usize]
    };
    let thread = thread::spawn(take);
    let mine = take();
    assert_eq!(mine + thread.join().unwrap(), 30, "both took one");
}

// expect: rc11 violated panic
#[test]
fn wrong_overflow() {
    static LEFT: AtomicU32 = AtomicU32::new(1);
    let take = || LEFT.store(LEFT.load(Relaxed) - 1, Relaxed);
    let thread = thread::spawn(take);
    take();
    thread.join().unwrap();
}

// expect: rc11 violated panic
#[test]
fn wrong_unwrap() {
    static SLOT: Mutex<Option<u32>> = Mutex::new(None);
    let thread = thread::spawn(|| *SLOT.lock().unwrap() = Some(3));
    let seen = SLOT.lock().unwrap().take();
    assert_eq!(seen.expect("somebody put it there"), 3);
    thread.join().unwrap();
}

// expect: rc11 verified executions=1
#[test]
fn caught_with_a_reference() {
    let mut count = 0;
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        count += 1;
        panic!("after counting");
    }));
    assert!(result.is_err() && count == 1);
}

// expect: rc11 verified
#[test]
#[should_panic(expected = "divide by zero")]
fn should_panic() {
    static ZERO: AtomicU32 = AtomicU32::new(0);
    assert_eq!(1 / ZERO.load(Relaxed), 1);
}
