// A panic in a thread.
//
// expect: rc11 violated panic line=9
use std::thread;

fn main() {
    let numbers = vec![1, 2, 3];
    let thread = thread::spawn(move || {
        let at = numbers.len(); assert!(numbers[at] > 0);
    });
    thread.join().unwrap();
}
