// Two threads that meet: what each wrote before is seen by all after.
//
// expect: rc11 verified executions=2
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Barrier;
use std::thread;

static SUM: AtomicU32 = AtomicU32::new(0);

static BARRIER: Barrier = Barrier::new(2);

fn main() {
    let threads = [(); 2].map(|()| {
        thread::spawn(|| {
            SUM.fetch_add(1, Relaxed);
            BARRIER.wait();
            assert_eq!(SUM.load(Relaxed), 2);
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
