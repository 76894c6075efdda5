// Four threads that count under a mutex: one execution for each order of taking the lock.
//
// expect: rc11 verified executions=24
use std::sync::Mutex;
use std::thread;

static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    let threads = [(); 4].map(|()| thread::spawn(|| *COUNT.lock().unwrap() += 1));
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*COUNT.lock().unwrap(), 4);
}
