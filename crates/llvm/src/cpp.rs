//! C++: what the headers of libstdc++ leave to its library.
//!
//! `build.rs` compiles it (`libstdcxx/support.cpp`), so that checking a program does not.

use crate::names;

/// The module; empty if there was no libstdc++ to compile it with.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libstdcxx.bc"));

/// What its source is called in debug information.
pub(crate) const SOURCE: &str = "libstdcxx/support.cpp";

/// Where the headers have their atomic operations.
const ACCESSES: [&str; 7] = [
    "std::atomic<",
    "std::atomic_flag::",
    "std::atomic_ref<",
    "std::atomic_thread_fence(",
    "std::__atomic_base<",
    "std::__atomic_ref<",
    "std::__cmpexch_failure_order",
];

/// Whether a function is an atomic access, to be inlined: orderings are arguments, and constants only where it is called.
/// What waits, or has loops of its own, is left alone.
pub(crate) fn is_access(symbol: &str) -> bool {
    if !symbol.starts_with("_ZNSt") && !symbol.starts_with("_ZNKSt") && !symbol.starts_with("_ZSt") {
        return false;
    }
    let Some(name) = names::cpp(symbol) else { return false };
    ACCESSES.iter().any(|begin| name.starts_with(begin))
        && !["::wait(", "::notify_"].iter().any(|w| name.contains(w))
}
