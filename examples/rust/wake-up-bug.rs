// Two threads wait for different things at one condition variable: `notify_one` may wake the wrong one.
//
// expect: rc11 violated deadlock
use std::sync::{Condvar, Mutex};
use std::thread;

static TURN: Mutex<u32> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();

fn wait_for(turn: u32) {
    let mut now = TURN.lock().unwrap();
    while *now != turn {
        now = CHANGED.wait(now).unwrap();
    }
    *now += 1;
    CHANGED.notify_one();
}

fn main() {
    let threads = [thread::spawn(|| wait_for(1)), thread::spawn(|| wait_for(2))];
    *TURN.lock().unwrap() = 1;
    CHANGED.notify_one();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
