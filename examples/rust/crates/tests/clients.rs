//! Small clients of crates, two threads each. Those that are wrong are named so, and must fail.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::thread;

#[test]
fn arc_swap() {
    let shared = Arc::new(arc_swap::ArcSwap::from_pointee(1));
    let writer = thread::spawn({
        let shared = shared.clone();
        move || shared.store(Arc::new(2))
    });
    let seen = **shared.load();
    assert!(seen == 1 || seen == 2);
    writer.join().unwrap();
    assert_eq!(**shared.load(), 2);
}

#[test]
fn concurrent_queue() {
    static QUEUE: std::sync::LazyLock<concurrent_queue::ConcurrentQueue<u32>> =
        std::sync::LazyLock::new(|| concurrent_queue::ConcurrentQueue::bounded(2));
    QUEUE.push(1).unwrap();
    let thread = thread::spawn(|| QUEUE.push(2).unwrap());
    assert_eq!(QUEUE.pop(), Ok(1));
    thread.join().unwrap();
    assert_eq!(QUEUE.pop(), Ok(2));
}

#[test]
fn crossbeam_array_queue() {
    let queue = Arc::new(crossbeam_queue::ArrayQueue::new(2));
    let thread = thread::spawn({
        let queue = queue.clone();
        move || queue.push(1).unwrap()
    });
    let first = queue.pop();
    thread.join().unwrap();
    assert_eq!(first.or_else(|| queue.pop()), Some(1));
}

#[test]
fn crossbeam_seg_queue() {
    static QUEUE: crossbeam_queue::SegQueue<u32> = crossbeam_queue::SegQueue::new();
    let thread = thread::spawn(|| QUEUE.push(1));
    let first = QUEUE.pop();
    thread.join().unwrap();
    assert_eq!(first.or_else(|| QUEUE.pop()), Some(1));
}

#[test]
fn crossbeam_channel_bounded() {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.recv(), Ok(1));
    thread.join().unwrap();
}

#[test]
fn crossbeam_channel_closed() {
    let (sender, receiver) = crossbeam_channel::unbounded::<u32>();
    let thread = thread::spawn(move || drop(sender));
    assert!(receiver.recv().is_err());
    thread.join().unwrap();
}

/// Whoever is pinned keeps what it has seen, although it is taken out and given up meanwhile.
#[test]
fn crossbeam_epoch() {
    use crossbeam_epoch::{self as epoch, Atomic, Owned};
    static VALUE: Atomic<u32> = Atomic::null();
    VALUE.store(Owned::new(7), Release);
    // Both threads are pinned for the first time, and collect, while the other one is under way or not.
    drop(epoch::pin());
    let thread = thread::spawn(|| {
        let guard = epoch::pin();
        let old = VALUE.swap(Owned::new(8), AcqRel, &guard);
        unsafe { guard.defer_destroy(old) };
    });
    let guard = epoch::pin();
    let seen = unsafe { VALUE.load(Acquire, &guard).deref() };
    assert!(*seen == 7 || *seen == 8);
    drop(guard);
    thread.join().unwrap();
}

/// The same with what was given up collected at once.
#[test]
fn crossbeam_epoch_flushed() {
    use crossbeam_epoch::{Atomic, Collector, LocalHandle, Owned};
    struct Other(LocalHandle);
    unsafe impl Send for Other {}
    static VALUE: Atomic<u32> = Atomic::null();
    let collector = Collector::new();
    let (mine, other) = (collector.register(), Other(collector.register()));
    drop((mine.pin(), other.0.pin()));
    VALUE.store(Owned::new(7), Release);
    let thread = thread::spawn(move || {
        let other = other;
        let guard = other.0.pin();
        let old = VALUE.swap(Owned::new(8), AcqRel, &guard);
        unsafe { guard.defer_destroy(old) };
        guard.flush();
        drop(guard);
        std::mem::forget(other);
    });
    let guard = mine.pin();
    let seen = unsafe { VALUE.load(Acquire, &guard).deref() };
    assert!(*seen == 7 || *seen == 8);
    drop(guard);
    thread.join().unwrap();
    std::mem::forget((mine, collector));
}

/// Given up without being pinned: freed at once, while another thread looks.
#[test]
fn wrong_crossbeam_epoch() {
    use crossbeam_epoch::{self as epoch, Atomic, Owned};
    static VALUE: Atomic<u32> = Atomic::null();
    VALUE.store(Owned::new(7), Release);
    let thread = thread::spawn(|| {
        let unprotected = unsafe { epoch::unprotected() };
        let old = VALUE.swap(Owned::new(8), AcqRel, unprotected);
        unsafe { unprotected.defer_destroy(old) };
    });
    let guard = epoch::pin();
    let seen = unsafe { VALUE.load(Acquire, &guard).deref() };
    assert!(*seen == 7 || *seen == 8);
    thread.join().unwrap();
}

#[test]
fn event_listener() {
    use event_listener::{Event, Listener};
    static FLAG: AtomicU32 = AtomicU32::new(0);
    let event = Arc::new(Event::new());
    let thread = thread::spawn({
        let event = event.clone();
        move || {
            FLAG.store(1, Relaxed);
            event.notify(1);
        }
    });
    let listener = event.listen();
    if FLAG.load(Relaxed) == 0 {
        listener.wait();
    }
    thread.join().unwrap();
}

#[test]
fn once_cell() {
    static CELL: once_cell::sync::OnceCell<u32> = once_cell::sync::OnceCell::new();
    static MADE: AtomicU32 = AtomicU32::new(0);
    let ask = || *CELL.get_or_init(|| MADE.fetch_add(1, Relaxed));
    let thread = thread::spawn(ask);
    assert_eq!(ask(), 0);
    assert_eq!(thread.join().unwrap(), 0);
}

#[test]
fn parking_lot_mutex() {
    static COUNT: parking_lot::Mutex<u32> = parking_lot::Mutex::new(0);
    let thread = thread::spawn(|| *COUNT.lock() += 1);
    *COUNT.lock() += 1;
    thread.join().unwrap();
    assert_eq!(*COUNT.lock(), 2);
}

#[test]
fn rtrb() {
    let (mut producer, mut consumer) = rtrb::RingBuffer::new(1);
    let thread = thread::spawn(move || producer.push(5).unwrap());
    let first = consumer.pop();
    thread.join().unwrap();
    assert_eq!(first.or_else(|_| consumer.pop()), Ok(5));
}

#[test]
fn spin_mutex() {
    static COUNT: spin::Mutex<u32> = spin::Mutex::new(0);
    let thread = thread::spawn(|| *COUNT.lock() += 1);
    *COUNT.lock() += 1;
    thread.join().unwrap();
    assert_eq!(*COUNT.lock(), 2);
}

#[test]
fn triomphe() {
    let value = triomphe::Arc::new(AtomicU32::new(1));
    let other = value.clone();
    let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
    let seen = value.load(Relaxed);
    assert!(seen == 1 || seen == 2);
    drop(value);
    thread.join().unwrap();
}

#[test]
fn async_channel_try() {
    let (tx, rx) = async_channel::bounded(1);
    let t = thread::spawn(move || tx.try_send(1).unwrap());
    let first = rx.try_recv().ok();
    t.join().unwrap();
    assert_eq!(first.or_else(|| rx.try_recv().ok()), Some(1));
}

#[test]
fn atomic_waker() {
    use std::task::{Wake, Waker};
    struct Flag(AtomicU32);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(1, Relaxed);
        }
    }
    static W: atomic_waker::AtomicWaker = atomic_waker::AtomicWaker::new();
    static READY: AtomicU32 = AtomicU32::new(0);
    let flag = Arc::new(Flag(AtomicU32::new(0)));
    let t = thread::spawn(|| {
        READY.store(1, Release);
        W.wake();
    });
    W.register(&Waker::from(flag.clone()));
    let ready = READY.load(Acquire) == 1;
    t.join().unwrap();
    assert!(ready || flag.0.load(Relaxed) == 1);
}

#[test]
fn dashmap_insert() {
    let m = Arc::new(dashmap::DashMap::with_shard_amount(2));
    let t = {
        let m = m.clone();
        thread::spawn(move || {
            m.insert(1, 10);
        })
    };
    m.insert(2, 20);
    t.join().unwrap();
    assert_eq!(m.len(), 2);
}

#[test]
fn flume_channel() {
    let (tx, rx) = flume::bounded(1);
    let t = thread::spawn(move || tx.send(1).unwrap());
    assert_eq!(rx.recv().unwrap(), 1);
    t.join().unwrap();
}

#[test]
fn flume_try() {
    let (tx, rx) = flume::unbounded();
    let t = thread::spawn(move || tx.send(1).unwrap());
    let first = rx.try_recv().ok();
    t.join().unwrap();
    assert_eq!(first.or_else(|| rx.try_recv().ok()), Some(1));
}

#[test]
fn left_right() {
    struct Add(u32);
    impl left_right::Absorb<Add> for u32 {
        fn absorb_first(&mut self, op: &mut Add, _: &Self) {
            *self += op.0;
        }
        fn sync_with(&mut self, first: &Self) {
            *self = *first;
        }
    }
    let (mut w, r) = left_right::new::<u32, Add>();
    let t = thread::spawn(move || r.enter().map(|v| *v));
    w.append(Add(2)).publish();
    let seen = t.join().unwrap();
    assert!(matches!(seen, None | Some(0 | 2)));
}

#[test]
fn once_cell_race() {
    static C: once_cell::race::OnceNonZeroUsize = once_cell::race::OnceNonZeroUsize::new();
    let ask = |n: usize| C.get_or_init(|| n.try_into().unwrap());
    let t = thread::spawn(move || ask(1).get());
    let mine = ask(2).get();
    assert_eq!(t.join().unwrap(), mine);
}

#[test]
fn once_cell_race_box() {
    static C: once_cell::race::OnceBox<u32> = once_cell::race::OnceBox::new();
    let t = thread::spawn(|| *C.get_or_init(|| Box::new(1)));
    let mine = *C.get_or_init(|| Box::new(2));
    assert_eq!(t.join().unwrap(), mine);
}

#[test]
fn parking_lot_condvar() {
    static M: parking_lot::Mutex<bool> = parking_lot::Mutex::new(false);
    static C: parking_lot::Condvar = parking_lot::Condvar::new();
    let t = thread::spawn(|| {
        *M.lock() = true;
        C.notify_one();
    });
    let mut g = M.lock();
    while !*g {
        C.wait(&mut g);
    }
    drop(g);
    t.join().unwrap();
}

#[test]
fn spin_once() {
    static O: spin::Once<u32> = spin::Once::new();
    let t = thread::spawn(|| *O.call_once(|| 3));
    assert_eq!(*O.call_once(|| 3), 3);
    t.join().unwrap();
}

#[test]
fn spin_ticket() {
    static L: spin::mutex::TicketMutex<u32> = spin::mutex::TicketMutex::new(0);
    let t = thread::spawn(|| *L.lock() += 1);
    *L.lock() += 1;
    t.join().unwrap();
}

#[test]
fn thingbuf_queue() {
    static Q: thingbuf::StaticThingBuf<u32, 2> = thingbuf::StaticThingBuf::new();
    let t = thread::spawn(|| Q.push(1).unwrap());
    let first = Q.pop();
    t.join().unwrap();
    assert_eq!(first.or_else(|| Q.pop()), Some(1));
}

#[test]
fn crossbeam_epoch_two_known() {
    use crossbeam_epoch::{Atomic, Collector, Owned};
    let (collector, shared) = (Collector::new(), Arc::new(Atomic::new(1)));
    let reader = thread::spawn({
        let (collector, shared) = (collector.clone(), shared.clone());
        move || {
            let handle = collector.register();
            let guard = handle.pin();
            let seen = unsafe { *shared.load(Acquire, &guard).deref() };
            assert!(seen == 1 || seen == 2);
        }
    });
    let handle = collector.register();
    let guard = handle.pin();
    let old = shared.swap(Owned::new(2), AcqRel, &guard);
    unsafe { guard.defer_destroy(old) };
    drop(guard);
    reader.join().unwrap();
}

#[test]
fn parking_lot_rwlock() {
    static LOCK: parking_lot::RwLock<(u32, u32)> = parking_lot::RwLock::new((0, 0));
    let writer = thread::spawn(|| {
        let mut both = LOCK.write();
        both.0 += 1;
        both.1 += 1;
    });
    let reader = thread::spawn(|| {
        let both = LOCK.read();
        assert_eq!(both.0, both.1);
    });
    let both = LOCK.read();
    assert_eq!(both.0, both.1);
    drop(both);
    reader.join().unwrap();
    writer.join().unwrap();
    assert_eq!(*LOCK.read(), (1, 1));
}

#[test]
fn parking_lot_once() {
    static ONCE: parking_lot::Once = parking_lot::Once::new();
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let enter = || {
        ONCE.call_once(|| COUNT.store(COUNT.load(Relaxed) + 1, Relaxed));
        assert_eq!(COUNT.load(Relaxed), 1);
    };
    let thread = thread::spawn(enter);
    enter();
    thread.join().unwrap();
}

#[test]
fn parking_lot_reentrant() {
    use std::cell::Cell;
    static COUNT: parking_lot::ReentrantMutex<Cell<u32>> = parking_lot::ReentrantMutex::new(Cell::new(0));
    let add = || {
        let outer = COUNT.lock();
        let inner = COUNT.lock();
        inner.set(outer.get() + 1);
    };
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(COUNT.lock().get(), 2);
}

#[test]
fn spin_rwlock() {
    static LOCK: spin::RwLock<(u32, u32)> = spin::RwLock::new((0, 0));
    let writer = thread::spawn(|| {
        let mut both = LOCK.write();
        both.0 += 1;
        both.1 += 1;
    });
    let reader = thread::spawn(|| {
        let both = LOCK.read();
        assert_eq!(both.0, both.1);
    });
    let both = LOCK.read();
    assert_eq!(both.0, both.1);
    drop(both);
    reader.join().unwrap();
    writer.join().unwrap();
}

#[test]
fn wrong_atomic_waker() {
    use std::task::{Wake, Waker};
    struct Flag(AtomicU32);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(1, Relaxed);
        }
    }
    static W: atomic_waker::AtomicWaker = atomic_waker::AtomicWaker::new();
    static READY: AtomicU32 = AtomicU32::new(0);
    let flag = Arc::new(Flag(AtomicU32::new(0)));
    let t = thread::spawn(|| {
        READY.store(1, Release);
        W.wake();
    });
    let ready = READY.load(Acquire) == 1;
    W.register(&Waker::from(flag.clone()));
    t.join().unwrap();
    assert!(ready || flag.0.load(Relaxed) == 1);
}

/// Whoever looks before it listens may miss what happens in between.
#[test]
fn wrong_event_listener() {
    use event_listener::{Event, Listener};
    static FLAG: AtomicU32 = AtomicU32::new(0);
    let event = Arc::new(Event::new());
    let thread = thread::spawn({
        let event = event.clone();
        move || {
            FLAG.store(1, Relaxed);
            event.notify(1);
        }
    });
    if FLAG.load(Relaxed) == 0 {
        event.listen().wait();
    }
    thread.join().unwrap();
}

/// Two locks in two orders.
#[test]
fn wrong_parking_lot_order() {
    static ONE: parking_lot::Mutex<u32> = parking_lot::Mutex::new(0);
    static TWO: parking_lot::Mutex<u32> = parking_lot::Mutex::new(0);
    let thread = thread::spawn(|| *ONE.lock() += *TWO.lock());
    *TWO.lock() += *ONE.lock();
    thread.join().unwrap();
}

/// Both wait for the other's message.
#[test]
fn wrong_crossbeam_channel() {
    let (to_thread, in_thread) = crossbeam_channel::bounded(1);
    let (to_main, in_main) = crossbeam_channel::bounded(1);
    let thread = thread::spawn(move || {
        let got: u32 = in_thread.recv().unwrap();
        to_main.send(got).unwrap();
    });
    let got = in_main.recv().unwrap();
    to_thread.send(got).unwrap();
    thread.join().unwrap();
}

/// What a lock protects is looked at although it was not taken.
#[test]
fn wrong_spin_mutex() {
    struct Shared(spin::Mutex<()>, std::cell::UnsafeCell<u32>);
    unsafe impl Sync for Shared {}
    static SHARED: Shared = Shared(spin::Mutex::new(()), std::cell::UnsafeCell::new(0));
    let thread = thread::spawn(|| {
        let _held = SHARED.0.lock();
        unsafe { *SHARED.1.get() += 1 };
    });
    let perhaps = SHARED.0.try_lock();
    assert!(unsafe { *SHARED.1.get() } <= 1);
    drop(perhaps);
    thread.join().unwrap();
}

/// Counted by hand, without the ordering that the last one needs.
#[test]
fn wrong_count() {
    struct Counted(AtomicU32, std::cell::UnsafeCell<u32>);
    unsafe impl Sync for Counted {}
    fn leave(counted: *const Counted) {
        unsafe {
            std::ptr::read((*counted).1.get());
            if (*counted).0.fetch_sub(1, Relaxed) == 1 {
                drop(Box::from_raw(counted.cast_mut()));
            }
        }
    }
    let counted = Box::into_raw(Box::new(Counted(AtomicU32::new(2), std::cell::UnsafeCell::new(1))));
    let address = counted as usize;
    let thread = thread::spawn(move || leave(address as *const Counted));
    leave(counted);
    thread.join().unwrap();
}

/// A slot as one might write it: the flag is published without an ordering.
#[test]
fn wrong_slot() {
    static SLOT: Slot = Slot { full: AtomicU32::new(0), value: std::cell::UnsafeCell::new(0) };
    let thread = thread::spawn(|| {
        unsafe { *SLOT.value.get() = 7 };
        SLOT.full.store(1, Relaxed);
    });
    if SLOT.full.load(Acquire) == 1 {
        assert_eq!(unsafe { *SLOT.value.get() }, 7);
    }
    thread.join().unwrap();
}

struct Slot {
    full: AtomicU32,
    value: std::cell::UnsafeCell<u32>,
}

unsafe impl Sync for Slot {}

/// Readers that write.
#[test]
fn wrong_spin_rwlock() {
    struct Shared(spin::RwLock<()>, std::cell::UnsafeCell<u32>);
    unsafe impl Sync for Shared {}
    static SHARED: Shared = Shared(spin::RwLock::new(()), std::cell::UnsafeCell::new(0));
    let thread = thread::spawn(|| {
        let _held = SHARED.0.read();
        unsafe { *SHARED.1.get() += 1 };
    });
    let held = SHARED.0.read();
    unsafe { *SHARED.1.get() += 1 };
    drop(held);
    thread.join().unwrap();
}

/// Read twice at once: not while somebody waits to write.
#[test]
fn wrong_parking_lot_read_twice() {
    static LOCK: parking_lot::RwLock<(u32, u32)> = parking_lot::RwLock::new((0, 0));
    let writer = thread::spawn(|| LOCK.write().0 += 1);
    _ = LOCK.read().0 == LOCK.read().1;
    writer.join().unwrap();
}

/// Whoever reads waits for whoever wants to write, and is waited for.
#[test]
fn wrong_parking_lot_rwlock() {
    static ONE: parking_lot::RwLock<u32> = parking_lot::RwLock::new(0);
    static TWO: parking_lot::RwLock<u32> = parking_lot::RwLock::new(0);
    let thread = thread::spawn(|| {
        let one = ONE.read();
        *TWO.write() += *one;
    });
    let two = TWO.read();
    *ONE.write() += *two;
    drop(two);
    thread.join().unwrap();
}

/// Freed at once, although the other thread may have it in hand.
#[test]
fn wrong_crossbeam_epoch_two_known() {
    use crossbeam_epoch::{Atomic, Collector, Owned};
    let (collector, shared) = (Collector::new(), Arc::new(Atomic::new(1)));
    let reader = thread::spawn({
        let (collector, shared) = (collector.clone(), shared.clone());
        move || {
            let handle = collector.register();
            let guard = handle.pin();
            let seen = unsafe { *shared.load(Acquire, &guard).deref() };
            assert!(seen == 1 || seen == 2);
        }
    });
    let handle = collector.register();
    let guard = handle.pin();
    let old = shared.swap(Owned::new(2), AcqRel, &guard);
    unsafe { drop(old.into_owned()) };
    drop(guard);
    reader.join().unwrap();
}
