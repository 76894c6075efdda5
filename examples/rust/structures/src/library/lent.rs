//! Variables of a function that other threads get at, in one way or another. Nothing but the ordering of the
//! flag makes a difference between right and wrong.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, Ordering::*};
use std::sync::mpsc;
use std::thread;

struct Lent(UnsafeCell<u32>);

unsafe impl Sync for Lent {}

impl Lent {
    fn new() -> Lent {
        Lent(UnsafeCell::new(0))
    }

    fn set(&self) {
        unsafe { *self.0.get() = 7 };
    }

    fn get(&self) -> u32 {
        unsafe { *self.0.get() }
    }
}

fn through_a_scope(how: Ordering) {
    let (lent, flag) = (Lent::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            lent.set();
            flag.store(1, how);
        });
        if flag.load(Acquire) == 1 {
            assert_eq!(lent.get(), 7);
        }
    });
    assert_eq!(lent.get(), 7);
}

// expect: rc11 verified executions=3
#[test]
fn scope() {
    through_a_scope(Release);
}

// expect: rc11 violated data-race
#[test]
fn wrong_scope() {
    through_a_scope(Relaxed);
}

#[inline(never)]
fn hand_on(lent: &Lent, to: &mut dyn FnMut(&Lent)) {
    to(lent);
}

fn through_a_callback(how: Ordering) {
    static PLACE: AtomicPtr<Lent> = AtomicPtr::new(std::ptr::null_mut());
    static FLAG: AtomicUsize = AtomicUsize::new(0);
    let lent = Lent::new();
    hand_on(&lent, &mut |lent| PLACE.store((lent as *const Lent).cast_mut(), Relaxed));
    let thread = thread::spawn(move || {
        unsafe { &*PLACE.load(Relaxed) }.set();
        FLAG.store(1, how);
    });
    if FLAG.load(Acquire) == 1 {
        assert_eq!(lent.get(), 7);
    }
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn callback() {
    through_a_callback(Release);
}

// expect: rc11 violated data-race
#[test]
fn wrong_callback() {
    through_a_callback(Relaxed);
}

/// The address goes through a channel, and what is there is accessed by both.
fn through_a_channel(how: Ordering) {
    struct Address(*const Lent, *const AtomicUsize);
    unsafe impl Send for Address {}
    let (lent, flag) = (Lent::new(), AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel::<Address>();
    let thread = thread::spawn(move || {
        let Address(lent, flag) = receiver.recv().unwrap();
        unsafe { (*lent).set() };
        unsafe { (*flag).store(1, how) };
    });
    sender.send(Address(&lent, &flag)).unwrap();
    if flag.load(Acquire) == 1 {
        assert_eq!(lent.get(), 7);
    }
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn channel() {
    through_a_channel(Release);
}

// expect: rc11 violated data-race
#[test]
fn wrong_channel() {
    through_a_channel(Relaxed);
}

/// An integer is an address, too.
fn through_an_integer(how: Ordering) {
    let (lent, flag) = (Lent::new(), Arc::new(AtomicUsize::new(0)));
    let address = &raw const lent as usize;
    let thread = thread::spawn({
        let flag = flag.clone();
        move || {
            unsafe { (*(address as *const Lent)).set() };
            flag.store(1, how);
        }
    });
    if flag.load(Acquire) == 1 {
        assert_eq!(lent.get(), 7);
    }
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn integer() {
    through_an_integer(Release);
}

// expect: rc11 violated data-race
#[test]
fn wrong_integer() {
    through_an_integer(Relaxed);
}

struct Holder<'a> {
    inner: &'a Lent,
}

impl<'a> Holder<'a> {
    fn new(inner: &'a Lent) -> Holder<'a> {
        Holder { inner }
    }
}

/// Through a structure that another function makes, and one that is returned.
fn through_a_structure(how: Ordering) {
    let lent = Lent::new();
    let flag = AtomicUsize::new(0);
    let holder = Holder::new(&lent);
    thread::scope(|scope| {
        let holder = &holder;
        let flag = &flag;
        scope.spawn(move || {
            holder.inner.set();
            flag.store(1, how);
        });
        if flag.load(Acquire) == 1 {
            assert_eq!(lent.get(), 7);
        }
    });
}

// expect: rc11 verified executions=3
#[test]
fn structure() {
    through_a_structure(Release);
}

// expect: rc11 violated data-race
#[test]
fn wrong_structure() {
    through_a_structure(Relaxed);
}

/// An iterator over pieces of an array that is the function's own.
// expect: rc11 verified executions=16
#[test]
fn pieces() {
    let mut numbers = [1, 2, 3, 4];
    thread::scope(|scope| {
        for piece in numbers.chunks_mut(2) {
            scope.spawn(move || piece.iter_mut().for_each(|n| *n *= 2));
        }
    });
    assert_eq!(numbers, [2, 4, 6, 8]);
}

/// The function returns while the thread may still use what was its own.
// expect: rc11 violated dead-stack
#[test]
fn wrong_gone() {
    fn begin() -> thread::JoinHandle<u32> {
        let lent = Lent::new();
        let address = &raw const lent as usize;
        thread::spawn(move || unsafe { (*(address as *const Lent)).get() })
    }
    begin().join().unwrap();
}

/// Where a variable is; threads may be told.
#[derive(Clone, Copy)]
struct Place(*mut u32);

unsafe impl Send for Place {}
unsafe impl Sync for Place {}

#[inline(never)]
fn add(number: &mut u32) {
    *number += 1;
}

/// Another thread adds to what is at a place while this one does, too.
fn both_add(place: Place, mine: impl FnOnce()) {
    let thread = thread::spawn(move || {
        let Place(number) = { place };
        unsafe { *number += 1 };
    });
    mine();
    thread.join().unwrap();
}

/// Kept in a static variable by one of several functions, which one is chosen at run time.
// expect: rc11 violated data-race
#[test]
fn wrong_function() {
    static KEPT: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    fn keep(number: *mut u32) {
        KEPT.store(number, Release);
    }
    let functions: [fn(*mut u32); 2] = [keep, |number| unsafe { *number += 1 }];
    let mut number = 0;
    functions[usize::from(!KEPT.load(Relaxed).is_null())](&mut number);
    both_add(Place(KEPT.load(Acquire)), || add(&mut number));
}

/// A structure that knows where it is.
// expect: rc11 violated data-race
#[test]
fn wrong_self() {
    struct Own {
        number: u32,
        place: *mut u32,
    }
    let mut own = Own { number: 0, place: std::ptr::null_mut() };
    own.place = &raw mut own.number;
    both_add(Place(own.place), || own.number += 1);
}

/// What is panicked with gets out of a function as well.
// expect: rc11 violated data-race
#[test]
fn wrong_payload() {
    let mut number = 0;
    let place = Place(&mut number);
    let payload = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(place))).unwrap_err();
    both_add(*payload.downcast::<Place>().unwrap(), || add(&mut number));
}

/// A panic in a `drop` while another one is on its way, which goes on.
// expect: rc11 verified executions=1
#[test]
fn panic_within_a_panic() {
    struct Careful;
    impl Drop for Careful {
        fn drop(&mut self) {
            assert!(std::panic::catch_unwind(|| panic!("inner")).is_err());
        }
    }
    let outer = std::panic::catch_unwind(|| {
        let _careful = Careful;
        panic!("outer")
    });
    assert_eq!(*outer.unwrap_err().downcast::<&str>().unwrap(), "outer");
}
