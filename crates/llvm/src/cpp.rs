//! C++: what the headers of libstdc++ leave to its library.
//!
//! `build.rs` compiles it (`libstdcxx/support.cpp`), so that checking a program does not.

/// The module; empty if there was no libstdc++ to compile it with.
pub(crate) const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libstdcxx.bc"));

/// What its source is called in debug information.
pub(crate) const SOURCE: &str = "libstdcxx/support.cpp";
