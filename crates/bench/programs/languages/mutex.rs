// Four threads that count under a mutex.
use std::sync::Mutex;
use std::thread;

static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    let threads = [(); 4].map(|()| thread::spawn(|| *COUNT.lock().unwrap() += 1));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*COUNT.lock().unwrap(), 4);
}
