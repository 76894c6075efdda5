// Two threads that send; the receiver gets what both sent, and then knows that nobody sends any more.
//
// expect: rc11 verified
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let threads =
        [thread::spawn(move || sender.send(1).unwrap()), thread::spawn(move || other.send(2).unwrap())];
    assert_eq!(receiver.recv().unwrap() + receiver.recv().unwrap(), 3);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(receiver.recv().is_err());
}
