//! Channels.

use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
use std::thread;
use std::time::Duration;

// expect: rc11 verified executions=5
#[test]
fn messages_in_order() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || (0..2).for_each(|n| sender.send(n).unwrap()));
    assert_eq!(receiver.iter().collect::<Vec<u32>>(), [0, 1]);
    thread.join().unwrap();
}

// expect: rc11 violated panic
#[test]
fn wrong_order_of_senders() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let one = thread::spawn(move || sender.send(1).unwrap());
    let two = thread::spawn(move || other.send(2).unwrap());
    assert_eq!(receiver.recv(), Ok(1));
    one.join().unwrap();
    two.join().unwrap();
}

// expect: rc11 verified executions=120
#[test]
fn two_senders() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let one = thread::spawn(move || sender.send(1).unwrap());
    let two = thread::spawn(move || other.send(2).unwrap());
    assert_eq!(receiver.recv().unwrap() + receiver.recv().unwrap(), 3);
    one.join().unwrap();
    two.join().unwrap();
}

/// A sender is left: the loop has no end.
// expect: rc11 violated deadlock
#[test]
fn wrong_sender_is_left() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let thread = thread::spawn(move || other.send(1).unwrap());
    assert_eq!(receiver.iter().sum::<u32>(), 1);
    thread.join().unwrap();
    drop(sender);
}

// expect: rc11 verified executions=7
#[test]
fn bounded() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = thread::spawn(move || (0..2).for_each(|n| sender.send(n).unwrap()));
    assert_eq!(receiver.recv(), Ok(0));
    assert_eq!(receiver.recv(), Ok(1));
    assert!(receiver.recv().is_err());
    thread.join().unwrap();
}

/// Both fill their channel before they look at the other's.
// expect: rc11 violated deadlock
#[test]
fn wrong_both_are_full() {
    let (to_thread, in_thread) = mpsc::sync_channel(1);
    let (to_main, in_main) = mpsc::sync_channel(1);
    let thread = thread::spawn(move || {
        to_main.send(1).unwrap();
        to_main.send(2).unwrap();
        in_thread.iter().sum::<u32>()
    });
    to_thread.send(1).unwrap();
    to_thread.send(2).unwrap();
    drop(to_thread);
    assert_eq!(in_main.iter().sum::<u32>(), 3);
    assert_eq!(thread.join().unwrap(), 3);
}

// expect: rc11 verified executions=2
#[test]
fn handed_over() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let thread = thread::spawn(move || sender.send(Box::new(5)).unwrap());
    assert_eq!(*receiver.recv().unwrap(), 5);
    thread.join().unwrap();
}

// expect: rc11 verified executions=4
#[test]
fn receiver_is_gone() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || drop(receiver));
    if let Err(back) = sender.send(String::from("text")) {
        assert_eq!(back.0, "text");
    }
    thread.join().unwrap();
}

// expect: rc11 violated panic
#[test]
fn wrong_receiver_is_gone() {
    let (sender, receiver) = mpsc::channel::<u32>();
    let thread = thread::spawn(move || drop(receiver));
    sender.send(1).unwrap();
    thread.join().unwrap();
}

// expect: rc11 verified executions=3
#[test]
fn tried() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = thread::spawn(move || match sender.try_send(1) {
        Ok(()) => {
            matches!(sender.try_send(2), Ok(()) | Err(TrySendError::Full(2) | TrySendError::Disconnected(2)))
        }
        Err(_) => false,
    });
    match receiver.try_recv() {
        Ok(got) => assert_eq!(got, 1),
        Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
    }
    assert!(thread.join().unwrap());
}

// expect: rc11 violated panic
#[test]
fn wrong_try_finds_it() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.try_recv(), Ok(1));
    thread.join().unwrap();
}

// expect: rc11 verified executions=240
#[test]
fn for_some_time() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1).is_ok());
    match receiver.recv_timeout(Duration::from_millis(1)) {
        Ok(got) => assert_eq!(got, 1),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => panic!("there was a message"),
    }
    drop(receiver);
    thread.join().unwrap();
}

/// Work is given out, and results come back.
// expect: rc11 verified executions=8
#[test]
fn worker() {
    let (tasks, work) = mpsc::channel::<Box<dyn FnOnce() -> u32 + Send>>();
    let (results, done) = mpsc::channel();
    let thread = thread::spawn(move || {
        for task in work {
            results.send(task()).unwrap();
        }
    });
    let base = 20;
    tasks.send(Box::new(move || base + 1)).unwrap();
    drop(tasks);
    assert_eq!(done.iter().collect::<Vec<_>>(), [21]);
    thread.join().unwrap();
}
