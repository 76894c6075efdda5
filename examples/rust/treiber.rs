// Treiber's stack: two threads push, and all is there in the end.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986
// expect: rc11 verified
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::{Acquire, Relaxed, Release}};
use std::thread;

struct Node {
    value: u32,
    next: *mut Node,
}

struct Stack {
    head: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: u32) {
        let node = Box::into_raw(Box::new(Node { value, next: ptr::null_mut() }));
        loop {
            let head = self.head.load(Relaxed);
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = head };
            if self.head.compare_exchange(head, node, Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    /// For one thread at a time: nodes are freed at once.
    fn pop(&self) -> Option<u32> {
        loop {
            let head = self.head.load(Acquire);
            if head.is_null() {
                return None;
            }
            // SAFETY: only this thread frees nodes.
            let next = unsafe { (*head).next };
            if self.head.compare_exchange(head, next, Acquire, Relaxed).is_ok() {
                // SAFETY: it is this thread's now.
                return Some(unsafe { Box::from_raw(head) }.value);
            }
        }
    }
}

static STACK: Stack = Stack { head: AtomicPtr::new(ptr::null_mut()) };

fn main() {
    let threads = [1, 2].map(|value| thread::spawn(move || STACK.push(value)));
    let early = STACK.pop().unwrap_or(0);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut sum = early;
    while let Some(value) = STACK.pop() {
        sum += value;
    }
    assert_eq!(sum, 3);
}
