//! Threads: joining, scopes, parking, variables of their own.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering, Ordering::*};
use std::thread;
use std::time::{Duration, Instant};

// expect: rc11 verified executions=1
#[test]
fn two_that_do_nothing() {
    let (one, two) = (thread::spawn(|| ()), thread::spawn(|| ()));
    one.join().unwrap();
    two.join().unwrap();
}

// expect: rc11 verified executions=1
#[test]
fn results() {
    let threads: Vec<_> = (1..4).map(|n| thread::spawn(move || n * n)).collect();
    assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u32>(), 14);
}

// expect: rc11 verified executions=1
#[test]
fn scope_returns_what_threads_do() {
    let words = [String::from("a"), String::from("bc")];
    let lengths = thread::scope(|scope| {
        let threads = words.each_ref().map(|word| scope.spawn(|| word.len()));
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!(lengths, [1, 2]);
}

fn parks_for(flag: &'static AtomicBool, how: Ordering) {
    let main = thread::current();
    let thread = thread::spawn(move || {
        flag.store(true, how);
        main.unpark();
    });
    while !flag.load(Acquire) {
        thread::park();
    }
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn parked() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    parks_for(&FLAG, Release);
}

/// Woken before the flag is set, and never again.
// expect: rc11 violated deadlock
#[test]
fn wrong_woken_too_early() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let main = thread::current();
    let thread = thread::spawn(move || {
        main.unpark();
        FLAG.store(true, Release);
    });
    while !FLAG.load(Acquire) {
        thread::park();
    }
    thread.join().unwrap();
}

/// `park` may return for no reason.
// expect: rc11 violated panic
#[test]
fn wrong_park_without_a_loop() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let main = thread::current();
    let thread = thread::spawn(move || {
        FLAG.store(true, Release);
        main.unpark();
    });
    thread::park();
    assert!(FLAG.load(Acquire));
    thread.join().unwrap();
}

// expect: rc11 verified executions=4
#[test]
fn parked_for_some_time() {
    static FLAG: AtomicU32 = AtomicU32::new(0);
    let thread = thread::spawn(|| {
        thread::park_timeout(Duration::from_secs(1));
        FLAG.load(Relaxed)
    });
    FLAG.store(1, Relaxed);
    thread.thread().unpark();
    assert!(thread.join().unwrap() <= 1);
}

// expect: rc11 verified executions=1
#[test]
fn of_each_thread() {
    thread_local! {
        static COUNT: Cell<u32> = const { Cell::new(0) };
        static LIST: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    }
    let count = || {
        COUNT.set(COUNT.get() + 1);
        LIST.with_borrow_mut(|list| list.push(COUNT.get()));
        LIST.with_borrow(|list| list.len())
    };
    let thread = thread::spawn(count);
    assert_eq!(count() + thread.join().unwrap(), 2);
    assert_eq!(COUNT.get(), 1);
}

// expect: rc11 verified executions=1
#[test]
fn dropped_at_the_end_of_the_thread() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    struct Noisy;
    impl Drop for Noisy {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Relaxed);
        }
    }
    thread_local!(static NOISY: Noisy = const { Noisy });
    thread::spawn(|| NOISY.with(|_| assert_eq!(DROPPED.load(Relaxed), 0))).join().unwrap();
    assert_eq!(DROPPED.load(Relaxed), 1);
}

// expect: rc11 verified executions=1
#[test]
fn named() {
    let thread = thread::Builder::new().name(String::from("worker")).spawn(|| {
        assert_eq!(thread::current().name(), Some("worker"));
        thread::current().id()
    });
    assert_ne!(thread.unwrap().join().unwrap(), thread::current().id());
}

/// `is_finished` looks at a counter, and promises nothing about what the thread did.
// expect: rc11 violated panic
#[test]
fn wrong_finished_or_not() {
    static DONE: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| DONE.store(true, Relaxed));
    if thread.is_finished() {
        assert!(DONE.load(Relaxed));
    }
    thread.join().unwrap();
}

/// Nobody waits for the thread.
// expect: rc11 violated panic
#[test]
fn wrong_not_joined() {
    static DONE: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| DONE.store(true, Relaxed));
    assert!(DONE.load(Relaxed));
}

// expect: rc11 verified executions=1
#[test]
fn sleeps_and_yields() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| FLAG.store(true, Release));
    while !FLAG.load(Acquire) {
        thread::yield_now();
        thread::sleep(Duration::from_millis(1));
    }
    thread.join().unwrap();
}

/// How many processors there are is not looked up in files of the system.
// expect: rc11 verified executions=1
#[test]
fn processors() {
    let count = thread::available_parallelism().map_or(1, |count| count.get());
    assert!(count >= 1 && 2.0f64.powi(-2) == 0.25);
}

/// A sleep is no synchronisation.
// expect: rc11 violated panic
#[test]
fn wrong_sleeps_instead() {
    static FLAG: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| FLAG.store(true, Release));
    thread::sleep(Duration::from_secs(1));
    assert!(FLAG.load(Acquire));
    thread.join().unwrap();
}

// expect: rc11 verified
#[test]
fn time_does_not_run_backwards() {
    let before = Instant::now();
    assert!(Instant::now() >= before);
}
