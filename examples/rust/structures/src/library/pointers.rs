//! Counted pointers, leaks, drops.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering, Ordering::*};
use std::sync::{Arc, Mutex, Weak};
use std::thread;

struct Noisy(u32, &'static AtomicU32);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0 = 0;
        self.1.fetch_add(1, Relaxed);
    }
}

// expect: rc11 verified executions=2
#[test]
fn dropped_once() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    let one = Arc::new(Noisy(5, &DROPPED));
    let two = Arc::clone(&one);
    let thread = thread::spawn(move || assert_eq!(two.0, 5));
    assert_eq!(one.0, 5);
    drop(one);
    thread.join().unwrap();
    assert_eq!(DROPPED.load(Relaxed), 1);
}

// expect: rc11 violated panic
#[test]
fn wrong_always_the_last() {
    let one = Arc::new(5);
    let two = Arc::clone(&one);
    let thread = thread::spawn(move || drop(two));
    assert!(Arc::try_unwrap(one).is_ok());
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn only_one_unwraps() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    let one = Arc::new(Noisy(5, &DROPPED));
    let two = Arc::clone(&one);
    let thread = thread::spawn(move || Arc::into_inner(two).is_some());
    let mine = Arc::into_inner(one).is_some();
    assert!(mine != thread.join().unwrap());
}

// expect: rc11 verified
#[test]
fn weak() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    let strong = Arc::new(Noisy(5, &DROPPED));
    let weak = Arc::downgrade(&strong);
    let thread = thread::spawn(move || weak.upgrade().is_none_or(|noisy| noisy.0 == 5));
    drop(strong);
    assert!(thread.join().unwrap());
    assert_eq!(DROPPED.load(Relaxed), 1);
}

// expect: rc11 violated panic
#[test]
fn wrong_weak_is_there() {
    let strong = Arc::new(5);
    let weak = Arc::downgrade(&strong);
    let thread = thread::spawn(move || *weak.upgrade().unwrap());
    drop(strong);
    thread.join().unwrap();
}

// expect: rc11 verified executions=1
#[test]
fn alone_again() {
    let mut one = Arc::new(Mutex::new(1));
    let two = one.clone();
    let thread = thread::spawn(move || *two.lock().unwrap() += 1);
    thread.join().unwrap();
    assert_eq!(Arc::get_mut(&mut one).map(|n| *n.get_mut().unwrap()), Some(2));
    *Arc::make_mut(&mut Arc::new(3)) += 1;
}

// expect: rc11 verified executions=2
#[test]
fn leaked() {
    let number: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(1)));
    let thread = thread::spawn(|| number.fetch_add(1, Relaxed));
    number.fetch_add(1, Relaxed);
    thread.join().unwrap();
    assert_eq!(number.load(Relaxed), 3);
}

struct Parent {
    child: Mutex<Option<Arc<Child>>>,
}

struct Child {
    parent: Weak<Parent>,
}

// expect: rc11 verified executions=7
#[test]
fn cycle() {
    let parent = Arc::new_cyclic(|weak: &Weak<Parent>| {
        let child = Arc::new(Child { parent: weak.clone() });
        Parent { child: Mutex::new(Some(child)) }
    });
    let child = parent.child.lock().unwrap().clone().unwrap();
    let thread = thread::spawn(move || child.parent.upgrade().is_some());
    drop(parent);
    _ = thread.join().unwrap();
}

/// A counter of references by hand: the last one has to see what the others did.
struct Counted {
    count: AtomicU32,
    value: UnsafeCell<u32>,
}

fn leave(counted: *const Counted, how: Ordering) {
    unsafe {
        std::ptr::read((*counted).value.get());
        if (*counted).count.fetch_sub(1, how) == 1 {
            *(*counted).value.get() = 0;
            drop(Box::from_raw(counted.cast_mut()));
        }
    }
}

fn count(how: Ordering) {
    let counted = Box::into_raw(Box::new(Counted { count: AtomicU32::new(2), value: UnsafeCell::new(1) }));
    let address = counted as usize;
    let thread = thread::spawn(move || leave(address as *const Counted, how));
    leave(counted, how);
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn counted_by_hand() {
    count(AcqRel);
}

// expect: rc11 violated
#[test]
fn wrong_counted_by_hand() {
    count(Relaxed);
}

/// Freed by one, used by the other.
// expect: rc11 violated use-after-free
#[test]
fn wrong_freed() {
    let address = Box::into_raw(Box::new(AtomicU32::new(1))) as usize;
    let thread = thread::spawn(move || unsafe { (*(address as *const AtomicU32)).load(Relaxed) });
    drop(unsafe { Box::from_raw(address as *mut AtomicU32) });
    thread.join().unwrap();
}
