// Three threads that push to a stack.
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}

static TOP: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

fn push(value: u32) {
    let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
    let mut next = TOP.load(Relaxed);
    loop {
        unsafe { (*node).next = next };
        match TOP.compare_exchange_weak(next, node, Release, Relaxed) {
            Ok(_) => return,
            Err(found) => next = found,
        }
    }
}

fn main() {
    let threads = [1, 2, 3].map(|n| thread::spawn(move || push(n)));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let (mut sum, mut node) = (0, TOP.load(Acquire));
    while let Some(found) = unsafe { node.as_ref() } {
        sum += found.value;
        node = found.next;
    }
    assert_eq!(sum, 6);
}
