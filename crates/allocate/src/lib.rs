//! Memory is accounted for before it is taken, as far as large pieces go: the rest shows in the size of the
//! process.
//!
//! The standard library ends the process where memory is not given. Here the thread that wants too much
//! waits instead, and the guard ends the process with a report. A crate of its own, since an allocator takes
//! `unsafe` code, and no other crate of the command but `llvm` has any.

#![warn(missing_docs)]
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Pieces of at least this size are accounted for, in bytes.
const LARGE: usize = 4 << 20;

/// Bytes that the process may have, and had when it was last looked at.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
static USED: AtomicU64 = AtomicU64::new(0);
/// Somebody listens to `WAITING`.
static GUARDED: AtomicBool = AtomicBool::new(false);
static WAITING: AtomicBool = AtomicBool::new(false);

/// From now on somebody asks for [`refused`]; at most so many bytes are given.
pub fn guard(most: Option<u64>) {
    MOST.store(most.unwrap_or(u64::MAX), Ordering::Relaxed);
    GUARDED.store(true, Ordering::Relaxed);
}

/// What the process has now.
pub fn used(bytes: u64) {
    USED.store(bytes, Ordering::Relaxed);
}

/// Whether a thread waits for memory that it will not get.
pub fn refused() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// The allocator: a command that wants it says `#[global_allocator]`.
pub struct Accounting;

fn is_too_much(more: usize) -> bool {
    more >= LARGE && USED.load(Ordering::Relaxed).saturating_add(more as u64) > MOST.load(Ordering::Relaxed)
}

/// Waits for the end of the process, if there is somebody to end it.
fn refuse() -> *mut u8 {
    while GUARDED.load(Ordering::Relaxed) {
        WAITING.store(true, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(1));
    }
    std::ptr::null_mut()
}

fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null() { refuse() } else { memory }
}

// SAFETY: the system's allocator with the same arguments, or a null pointer, which says that there is no
// memory.
unsafe impl GlobalAlloc for Accounting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_too_much(layout.size()) {
            return refuse();
        }
        // SAFETY: by the contract of this function.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_too_much(layout.size()) {
            return refuse();
        }
        // SAFETY: by the contract of this function.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the contract of this function: it came from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_too_much(size.saturating_sub(layout.size())) {
            return refuse();
        }
        // SAFETY: as above.
        given(unsafe { System.realloc(memory, layout, size) })
    }
}
