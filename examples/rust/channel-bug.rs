// Whoever keeps a sender keeps the receiver waiting.
//
// expect: rc11 violated deadlock
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let own = sender.clone();
    let thread = thread::spawn(move || own.send(1).unwrap());
    assert_eq!(receiver.iter().sum::<u32>(), 1);
    thread.join().unwrap();
    drop(sender);
}
