//! From C through clang and LLVM to bytecode.
//!
//! A program goes through the files of this crate in order: `driver` has clang (`clang`) compile, links, and
//! promotes local variables to registers; `lower` makes a control-flow graph of bytecode (`cfg`) of each function;
//! `bisimilar` merges what is the same before and in loops; `loops`
//! marks back edges; `carry` takes cells that nobody knows into registers; `spin` finds those that wait instead of iterating, `pef` those that may, with `escape` for
//! what nobody sees; `cfg` lays the blocks out.
//!
//! *Invariant:* no access to memory that another thread may see is removed, merged, added or reordered on
//! the way. Of LLVM's passes only those run that keep to this (see `driver`).

mod bisimilar;
mod carry;
mod cfg;
mod clang;
mod driver;
mod error;
mod escape;
mod follow;
// Calls LLVM.
#[allow(unsafe_code)]
mod llvm;
mod loops;
mod lower;
mod pef;
mod registers;
mod spin;
mod zne;

pub use llvm::process;

pub use driver::{Options, compile, require_main};
pub use error::CompileError;
