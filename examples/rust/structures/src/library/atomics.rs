//! Atomics of all widths, fences, loops that wait.

use std::cell::UnsafeCell;
use std::hint;
use std::mem::MaybeUninit;
use std::sync::atomic::{self, Ordering, Ordering::*};
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize,
};
use std::thread;

macro_rules! adds {
    ($name:ident, $ty:ident, $number:ty) => {
        // expect: rc11 verified executions=2
        #[test]
        fn $name() {
            static VALUE: $ty = $ty::new(<$number>::MAX);
            let add = || VALUE.fetch_add(2, Relaxed);
            let thread = thread::spawn(add);
            let (one, two) = (add(), thread.join().unwrap());
            assert!(one != two && (one == <$number>::MAX || two == <$number>::MAX));
            assert_eq!(VALUE.load(Relaxed), <$number>::MAX.wrapping_add(4));
        }
    };
}

adds!(adds_8, AtomicU8, u8);
adds!(adds_16, AtomicU16, u16);
adds!(adds_32, AtomicU32, u32);
adds!(adds_64, AtomicU64, u64);
adds!(adds_signed_8, AtomicI8, i8);
adds!(adds_signed_16, AtomicI16, i16);
adds!(adds_signed_64, AtomicI64, i64);

// expect: rc11 verified executions=1
#[test]
fn operations() {
    let n = AtomicU32::new(0b1100);
    assert_eq!(n.fetch_and(0b0110, SeqCst), 0b1100);
    assert_eq!(n.fetch_or(0b0011, AcqRel), 0b0100);
    assert_eq!(n.fetch_xor(0b0001, Acquire), 0b0111);
    assert_eq!(n.fetch_nand(0b0010, Release), 0b0110);
    assert_eq!(n.fetch_max(5, Relaxed), !0b0010);
    assert_eq!(n.fetch_min(5, Relaxed), !0b0010);
    assert_eq!(n.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(6)), Err(5));
    assert_eq!(n.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(4)), Ok(5));
    assert_eq!(n.swap(9, Relaxed), 1);
    assert_eq!(n.into_inner(), 9);
    let mut flag = AtomicBool::new(true);
    assert!(flag.fetch_not(Relaxed));
    *flag.get_mut() = true;
    assert_eq!(flag.compare_exchange(true, false, AcqRel, Acquire), Ok(true));
    let signed = AtomicI64::new(-3);
    assert_eq!(signed.fetch_max(-5, Relaxed), -3);
    assert_eq!(signed.fetch_sub(1, Relaxed), -3);
}

// expect: rc11 verified executions=36
#[test]
fn three_threads_store_and_load() {
    static X: AtomicU32 = AtomicU32::new(0);
    let threads: Vec<_> = (1..3).map(|n| thread::spawn(move || touch(n))).collect();
    fn touch(n: u32) {
        X.store(n, Relaxed);
        assert_ne!(X.load(Relaxed), 0);
    }
    touch(3);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn store_buffering(how: Ordering, look: Ordering) {
    static X: AtomicBool = AtomicBool::new(false);
    static Y: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(move || {
        X.store(true, how);
        Y.load(look)
    });
    Y.store(true, how);
    let (one, two) = (X.load(look), thread.join().unwrap());
    assert!(one || two);
}

// expect: rc11 verified executions=3
#[test]
fn store_buffering_in_order() {
    store_buffering(SeqCst, SeqCst);
}

// expect: rc11 violated panic
#[test]
fn wrong_store_buffering() {
    store_buffering(Release, Acquire);
}

// expect: rc11 verified executions=3
#[test]
fn store_buffering_with_fences() {
    static X: AtomicBool = AtomicBool::new(false);
    static Y: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| {
        X.store(true, Relaxed);
        atomic::fence(SeqCst);
        Y.load(Relaxed)
    });
    Y.store(true, Relaxed);
    atomic::fence(SeqCst);
    let (one, two) = (X.load(Relaxed), thread.join().unwrap());
    assert!(one || two);
}

struct Slot {
    full: AtomicBool,
    value: UnsafeCell<String>,
}

unsafe impl Sync for Slot {}

fn publish(slot: &'static Slot, fence: bool) {
    let thread = thread::spawn(move || {
        unsafe { (*slot.value.get()).push('x') };
        if fence {
            atomic::fence(Release);
        }
        slot.full.store(true, Relaxed);
    });
    while !slot.full.load(Relaxed) {
        hint::spin_loop();
    }
    atomic::fence(Acquire);
    assert_eq!(unsafe { &*slot.value.get() }, "x");
    thread.join().unwrap();
}

// expect: rc11 verified executions=1
#[test]
fn published_by_fences() {
    static SLOT: Slot = Slot { full: AtomicBool::new(false), value: UnsafeCell::new(String::new()) };
    publish(&SLOT, true);
}

// expect: rc11 violated data-race
#[test]
fn wrong_fence_is_missing() {
    static SLOT: Slot = Slot { full: AtomicBool::new(false), value: UnsafeCell::new(String::new()) };
    publish(&SLOT, false);
}

struct Spin(AtomicBool, UnsafeCell<u32>);

unsafe impl Sync for Spin {}

impl Spin {
    fn with(&self, release: Ordering, work: impl FnOnce(&mut u32)) {
        while self.0.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
        work(unsafe { &mut *self.1.get() });
        self.0.store(false, release);
    }
}

// expect: rc11 verified executions=6
#[test]
fn spin_lock() {
    static LOCK: Spin = Spin(AtomicBool::new(false), UnsafeCell::new(0));
    let add = || LOCK.with(Release, |n| *n += 1);
    let threads = [thread::spawn(add), thread::spawn(add)];
    add();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    LOCK.with(Release, |n| assert_eq!(*n, 3));
}

// expect: rc11 violated data-race
#[test]
fn wrong_spin_lock() {
    static LOCK: Spin = Spin(AtomicBool::new(false), UnsafeCell::new(0));
    let add = || LOCK.with(Relaxed, |n| *n += 1);
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn pointer_swapped() {
    static HEAD: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    let put = |n: u32| {
        let old = HEAD.swap(Box::into_raw(Box::new(n)), AcqRel);
        if old.is_null() { 0 } else { unsafe { *Box::from_raw(old) } }
    };
    let thread = thread::spawn(move || put(1));
    let sum = put(2) + thread.join().unwrap();
    let last = unsafe { Box::from_raw(HEAD.load(Acquire)) };
    assert_eq!(sum + *last, 3);
}

/// What was swapped out by another may be freed by both.
// expect: rc11 violated
#[test]
fn wrong_pointer_freed_by_both() {
    static HEAD: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    HEAD.store(Box::into_raw(Box::new(1)), Relaxed);
    let take = || {
        let old = HEAD.load(Acquire);
        if !old.is_null() {
            HEAD.store(std::ptr::null_mut(), Release);
            drop(unsafe { Box::from_raw(old) });
        }
    };
    let thread = thread::spawn(take);
    take();
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn bits_of_a_word() {
    static WORD: AtomicUsize = AtomicUsize::new(0);
    let claim = || (0..2).find(|bit| WORD.fetch_or(1 << bit, Relaxed) & (1 << bit) == 0);
    let thread = thread::spawn(claim);
    let mine = claim();
    assert_ne!(mine, thread.join().unwrap());
    assert_eq!(WORD.load(Relaxed), 3);
}

struct Place(UnsafeCell<MaybeUninit<u32>>);
unsafe impl Sync for Place {}

// expect: rc11 violated uninitialised-read
#[test]
fn wrong_static_never_set() {
    static PLACE: Place = Place(UnsafeCell::new(MaybeUninit::uninit()));
    // SAFETY: none, nobody has set it.
    let value = unsafe { (*PLACE.0.get()).assume_init() };
    assert!(value == 0 || value > 0);
}
