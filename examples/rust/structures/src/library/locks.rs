//! Locks, conditions, once and barriers.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use std::thread;
use std::time::Duration;

// expect: rc11 verified executions=24
#[test]
fn four_threads_on_a_mutex() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| *COUNT.lock().unwrap() += 1)).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*COUNT.lock().unwrap(), 4);
}

// expect: rc11 violated panic
#[test]
fn wrong_lock_given_up_between() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let add = || {
        let seen = *COUNT.lock().unwrap();
        *COUNT.lock().unwrap() = seen + 1;
    };
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(*COUNT.lock().unwrap(), 2);
}

// expect: rc11 violated deadlock
#[test]
fn wrong_lock_order() {
    static ONE: Mutex<u32> = Mutex::new(0);
    static TWO: Mutex<u32> = Mutex::new(0);
    let thread = thread::spawn(|| {
        let one = ONE.lock().unwrap();
        *TWO.lock().unwrap() += *one;
    });
    {
        let two = TWO.lock().unwrap();
        *ONE.lock().unwrap() += *two;
    }
    thread.join().unwrap();
}

// expect: rc11 violated deadlock
#[test]
fn wrong_lock_twice() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let count = COUNT.lock().unwrap();
    assert_eq!(*count + *COUNT.lock().unwrap(), 0);
}

/// A cell that a lock is to protect.
struct Cell(UnsafeCell<u32>);

unsafe impl Sync for Cell {}

impl Cell {
    const fn new() -> Cell {
        Cell(UnsafeCell::new(0))
    }

    fn add(&self) {
        unsafe { *self.0.get() += 1 };
    }

    fn get(&self) -> u32 {
        unsafe { *self.0.get() }
    }
}

// expect: rc11 violated data-race
#[test]
fn wrong_try_lock_not_looked_at() {
    static LOCK: Mutex<()> = Mutex::new(());
    static CELL: Cell = Cell::new();
    let thread = thread::spawn(|| {
        let _held = LOCK.lock().unwrap();
        CELL.add();
    });
    let _perhaps = LOCK.try_lock();
    CELL.add();
    thread.join().unwrap();
}

// expect: rc11 verified executions=3
#[test]
fn try_lock() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    let thread = thread::spawn(|| *COUNT.lock().unwrap() += 1);
    if let Ok(mut count) = COUNT.try_lock() {
        *count += 1;
    }
    thread.join().unwrap();
    assert!(*COUNT.lock().unwrap() >= 1);
}

// expect: rc11 verified executions=4
#[test]
fn queue_with_a_condition() {
    static QUEUE: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    static FILLED: Condvar = Condvar::new();
    let thread = thread::spawn(|| {
        QUEUE.lock().unwrap().push(3);
        FILLED.notify_one();
    });
    let mut queue = FILLED.wait_while(QUEUE.lock().unwrap(), |queue| queue.is_empty()).unwrap();
    assert_eq!(queue.pop(), Some(3));
    drop(queue);
    thread.join().unwrap();
}

/// Two kinds of waiting threads, one condition, and one of them is woken.
// expect: rc11 violated deadlock
#[test]
fn wrong_notify_one_to_the_wrong_waiter() {
    static STATE: Mutex<u32> = Mutex::new(0);
    static CHANGED: Condvar = Condvar::new();
    let wait_for = |wanted: u32| {
        move || {
            let mut state = STATE.lock().unwrap();
            while *state & wanted == 0 {
                state = CHANGED.wait(state).unwrap();
            }
        }
    };
    let (one, two) = (thread::spawn(wait_for(1)), thread::spawn(wait_for(2)));
    *STATE.lock().unwrap() |= 1;
    CHANGED.notify_one();
    *STATE.lock().unwrap() |= 2;
    CHANGED.notify_one();
    one.join().unwrap();
    two.join().unwrap();
}

/// The flag is not under the lock: it may be set between the look and the wait.
// expect: rc11 violated deadlock
#[test]
fn wrong_flag_beside_the_lock() {
    static LOCK: Mutex<()> = Mutex::new(());
    static CHANGED: Condvar = Condvar::new();
    static FLAG: AtomicBool = AtomicBool::new(false);
    let thread = thread::spawn(|| {
        FLAG.store(true, Relaxed);
        CHANGED.notify_one();
    });
    let mut held = LOCK.lock().unwrap();
    while !FLAG.load(Relaxed) {
        held = CHANGED.wait(held).unwrap();
    }
    drop(held);
    thread.join().unwrap();
}

// expect: rc11 verified executions=8
#[test]
fn wait_with_a_time() {
    static READY: Mutex<bool> = Mutex::new(false);
    static CHANGED: Condvar = Condvar::new();
    let thread = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_all();
    });
    let wait = CHANGED.wait_timeout(READY.lock().unwrap(), Duration::from_millis(10)).unwrap();
    let (ready, out) = (*wait.0, wait.1.timed_out());
    assert!(ready || out || !ready);
    drop(wait);
    thread.join().unwrap();
}

/// That time was up does not mean that it is not ready.
// expect: rc11 violated panic
#[test]
fn wrong_time_means_not_ready() {
    static READY: Mutex<bool> = Mutex::new(false);
    static CHANGED: Condvar = Condvar::new();
    let thread = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_all();
    });
    let wait = CHANGED.wait_timeout(READY.lock().unwrap(), Duration::from_millis(10)).unwrap();
    assert!(!(wait.1.timed_out() && *wait.0));
    drop(wait);
    thread.join().unwrap();
}

// expect: rc11 verified executions=96
#[test]
fn readers_and_a_writer() {
    static PAIR: RwLock<(u32, u32)> = RwLock::new((0, 0));
    let read = || {
        let pair = PAIR.read().unwrap();
        assert_eq!(pair.0, pair.1);
    };
    let (one, two) = (thread::spawn(read), thread::spawn(read));
    {
        let mut pair = PAIR.write().unwrap();
        pair.0 += 1;
        pair.1 += 1;
    }
    one.join().unwrap();
    two.join().unwrap();
}

// expect: rc11 violated data-race
#[test]
fn wrong_write_under_a_read_lock() {
    static LOCK: RwLock<()> = RwLock::new(());
    static CELL: Cell = Cell::new();
    let add = || {
        let _held = LOCK.read().unwrap();
        CELL.add();
    };
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
}

/// A writer that waits keeps readers out: who tries to read while others read may fail.
// expect: rc11 violated panic
#[test]
fn wrong_try_read_beside_readers() {
    static LOCK: RwLock<u32> = RwLock::new(0);
    let held = LOCK.read().unwrap();
    let thread = thread::spawn(|| *LOCK.write().unwrap() += 1);
    assert!(LOCK.try_read().is_ok());
    drop(held);
    thread.join().unwrap();
}

// expect: rc11 verified executions=17
#[test]
fn try_read_may_fail() {
    static LOCK: RwLock<u32> = RwLock::new(0);
    let held = LOCK.read().unwrap();
    let thread = thread::spawn(|| *LOCK.write().unwrap() += 1);
    if let Ok(seen) = LOCK.try_read() {
        assert_eq!(*seen, 0);
    }
    drop(held);
    thread.join().unwrap();
    assert_eq!(*LOCK.read().unwrap(), 1);
}

// expect: rc11 verified executions=9
#[test]
fn downgraded() {
    static LOCK: RwLock<u32> = RwLock::new(0);
    let thread = thread::spawn(|| {
        let mut held = LOCK.write().unwrap();
        *held += 1;
        let held = std::sync::RwLockWriteGuard::downgrade(held);
        assert_eq!(*held, 1);
    });
    assert!(*LOCK.read().unwrap() <= 1);
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn once_by_two() {
    static ONCE: Once = Once::new();
    static CELL: Cell = Cell::new();
    let thread = thread::spawn(|| {
        ONCE.call_once(|| CELL.add());
        assert_eq!(CELL.get(), 1);
    });
    ONCE.call_once(|| CELL.add());
    assert_eq!(CELL.get(), 1);
    thread.join().unwrap();
}

// expect: rc11 violated data-race
#[test]
fn wrong_looks_without_once() {
    static ONCE: Once = Once::new();
    static CELL: Cell = Cell::new();
    let thread = thread::spawn(|| ONCE.call_once(|| CELL.add()));
    assert!(CELL.get() <= 1);
    thread.join().unwrap();
}

// expect: rc11 verified executions=3
#[test]
fn once_waited_for() {
    static ONCE: Once = Once::new();
    static CELL: Cell = Cell::new();
    let thread = thread::spawn(|| ONCE.call_once(|| CELL.add()));
    ONCE.wait();
    assert_eq!(CELL.get(), 1);
    thread.join().unwrap();
}

// expect: rc11 violated deadlock
#[test]
fn wrong_once_never_called() {
    static ONCE: Once = Once::new();
    ONCE.wait();
}

// expect: rc11 verified executions=6
#[test]
fn cell_set_once() {
    static NAME: OnceLock<String> = OnceLock::new();
    let thread = thread::spawn(|| NAME.get_or_init(|| String::from("thread")).len());
    let seen = NAME.get_or_init(|| String::from("main"));
    assert!(seen == "thread" || seen == "main");
    assert_eq!(seen.len(), thread.join().unwrap());
}

// expect: rc11 violated panic
#[test]
fn wrong_both_set_it() {
    static NUMBER: OnceLock<u32> = OnceLock::new();
    let thread = thread::spawn(|| NUMBER.set(1).unwrap());
    NUMBER.set(2).unwrap();
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn made_when_needed() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    static LIST: LazyLock<Vec<u32>> = LazyLock::new(|| {
        MADE.fetch_add(1, Relaxed);
        vec![1, 2]
    });
    let thread = thread::spawn(|| LIST.iter().sum::<u32>());
    assert_eq!(LIST.len(), 2);
    assert_eq!(thread.join().unwrap(), 3);
    assert_eq!(MADE.load(Relaxed), 1);
}

// expect: rc11 verified executions=1
#[test]
fn barrier_twice() {
    let barrier = Arc::new(Barrier::new(2));
    static CELLS: [Cell; 2] = [Cell::new(), Cell::new()];
    let thread = thread::spawn({
        let barrier = barrier.clone();
        move || {
            CELLS[0].add();
            barrier.wait();
            assert_eq!(CELLS[1].get(), 1);
            barrier.wait();
        }
    });
    CELLS[1].add();
    barrier.wait();
    assert_eq!(CELLS[0].get(), 1);
    barrier.wait();
    CELLS[0].add();
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn one_leader() {
    static BARRIER: Barrier = Barrier::new(2);
    static LEADERS: AtomicU32 = AtomicU32::new(0);
    let meet = || {
        if BARRIER.wait().is_leader() {
            LEADERS.fetch_add(1, Relaxed);
        }
    };
    let thread = thread::spawn(meet);
    meet();
    thread.join().unwrap();
    assert_eq!(LEADERS.load(Relaxed), 1);
}

// expect: rc11 violated panic
#[test]
fn wrong_main_is_the_leader() {
    static BARRIER: Barrier = Barrier::new(2);
    let thread = thread::spawn(|| {
        BARRIER.wait();
    });
    assert!(BARRIER.wait().is_leader());
    thread.join().unwrap();
}

// expect: rc11 violated deadlock
#[test]
fn wrong_barrier_for_three() {
    static BARRIER: Barrier = Barrier::new(3);
    let thread = thread::spawn(|| BARRIER.wait().is_leader());
    BARRIER.wait();
    thread.join().unwrap();
}
