//! A channel for one message: the receiver parks until it is there.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread::{self, Thread};

/// The mistake: the message is said to be there without an ordering. That the receiver is unparked after that
/// does not help if it looks before it parks.
struct Channel<const BUG: bool> {
    ready: AtomicBool,
    message: UnsafeCell<u32>,
}

// SAFETY: the message is written by the sender before it is ready, and read after that.
unsafe impl<const BUG: bool> Sync for Channel<BUG> {}

impl<const BUG: bool> Channel<BUG> {
    const fn new() -> Self {
        Channel { ready: AtomicBool::new(false), message: UnsafeCell::new(0) }
    }

    fn send(&self, message: u32, receiver: &Thread) {
        // SAFETY: it is not ready yet.
        unsafe { *self.message.get() = message };
        self.ready.store(true, if BUG { Relaxed } else { Release });
        receiver.unpark();
    }

    fn receive(&self) -> u32 {
        while !self.ready.load(Acquire) {
            thread::park();
        }
        // SAFETY: it is ready.
        unsafe { *self.message.get() }
    }
}

fn play<const BUG: bool>(channel: &'static Channel<BUG>) {
    let receiver = thread::current();
    let sender = thread::spawn(move || channel.send(7, &receiver));
    assert_eq!(channel.receive(), 7);
    sender.join().unwrap();
}

// expect: rc11 verified
#[test]
fn channel() {
    static CHANNEL: Channel<false> = Channel::new();
    play(&CHANNEL);
}

// expect: rc11 violated data-race
#[test]
fn wrong_channel() {
    static CHANNEL: Channel<true> = Channel::new();
    play(&CHANNEL);
}
