// Two threads that do nothing: what threads do to begin and to end makes no difference.
//
// expect: rc11 verified executions=1
use std::thread;

fn main() {
    let (one, other) = (thread::spawn(|| {}), thread::spawn(|| {}));
    one.join().unwrap();
    other.join().unwrap();
}
