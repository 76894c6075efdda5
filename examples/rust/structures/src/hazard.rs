//! Hazard pointers: a reader writes down which object it is about to use and looks again whether the object is
//! still current; a writer frees an object only if nobody has written it down.
//!
//! source: M. M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE TPDS 15(6), 2004

use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicPtr, fence};
use std::thread;

/// The mistake: what a reader has written down need not be seen by whoever frees.
struct Shared<const BUG: bool> {
    current: AtomicPtr<u32>,
    hazard: AtomicPtr<u32>,
}

impl<const BUG: bool> Shared<BUG> {
    fn read(&self) -> u32 {
        let mut object = self.current.load(Acquire);
        loop {
            self.hazard.store(object, Relaxed);
            fence(if BUG { AcqRel } else { SeqCst });
            let again = self.current.load(Acquire);
            if again == object {
                break;
            }
            object = again;
        }
        // SAFETY: it is written down, and was current after that.
        let value = unsafe { *object };
        self.hazard.store(ptr::null_mut(), Release);
        value
    }

    /// Returns the old object if it is in use.
    fn replace(&self, value: u32) -> Option<*mut u32> {
        let old = self.current.swap(Box::into_raw(Box::new(value)), AcqRel);
        fence(SeqCst);
        if self.hazard.load(Acquire) == old {
            return Some(old);
        }
        // SAFETY: nobody uses it, and nobody can come to it any more.
        drop(unsafe { Box::from_raw(old) });
        None
    }
}

fn play<const BUG: bool>() {
    let first = Box::into_raw(Box::new(1));
    let shared: &'static Shared<BUG> = Box::leak(Box::new(Shared {
        current: AtomicPtr::new(first),
        hazard: AtomicPtr::new(ptr::null_mut()),
    }));
    let reader = thread::spawn(|| shared.read());
    let in_use = shared.replace(2);
    let value = reader.join().unwrap();
    assert!(value == 1 || value == 2);
    if let Some(old) = in_use {
        // SAFETY: the reader is done.
        drop(unsafe { Box::from_raw(old) });
    }
}

// expect: rc11 verified executions=9
#[test]
fn hazard() {
    play::<false>();
}

// expect: rc11 violated use-after-free
#[test]
fn wrong_hazard() {
    play::<true>();
}
