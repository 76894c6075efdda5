//! What is asked of the operating system beyond what the standard library asks: an allocator that accounts for
//! large pieces, and what children have used.
//!
//! Next to `llvm`, the only crate of what is shipped that has `unsafe` code.

#![warn(missing_docs)]
#![allow(unsafe_code)]

pub mod allocate;

/// The most memory that a child had which has ended, or a child of it, in bytes.
pub fn children_bytes() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure is written to, and zeros are good values of it.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10
}
