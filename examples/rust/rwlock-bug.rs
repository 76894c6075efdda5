// A thread that reads and reads again: if a writer comes in between, each waits for the other.
//
// expect: rc11 violated deadlock
use std::sync::RwLock;
use std::thread;

static VALUE: RwLock<u32> = RwLock::new(1);

fn main() {
    let writer = thread::spawn(|| *VALUE.write().unwrap() = 2);
    let one = VALUE.read().unwrap();
    let two = VALUE.read().unwrap();
    assert_eq!(*one, *two);
    drop((one, two));
    writer.join().unwrap();
}
