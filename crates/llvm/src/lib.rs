//! From C, C++ and Rust through their compilers and LLVM to bytecode.
//!
//! `driver` has clang (`clang`) or rustc (`rust`) compile, links, and promotes local variables to
//! registers; `lower` translates each function to bytecode and lets the passes of `selvedge_ir` find the
//! loops.
//!
//! *Invariant:* no access to memory that another thread may see is removed, merged, added or reordered on
//! the way. Of LLVM's passes only those run that keep to this (see `driver`).

mod clang;
mod cpp;
mod driver;
mod error;
mod libcxx;
// Calls LLVM.
#[allow(unsafe_code)]
mod llvm;
mod lower;
mod names;
pub mod rust;

pub use llvm::process;

pub use driver::{Options, compile, require_main};
pub use error::CompileError;
