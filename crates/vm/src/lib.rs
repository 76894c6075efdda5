//! The register bytecode that C programs are lowered to, and the machine that runs it.
//!
//! [`ir`] is the bytecode as data, [`text`] its text form, [`VmMachine`] what the explorer runs. Memory that
//! threads share is divided into cells (`layout`); library functions are bytecode, too (`runtime`).

mod arith;
mod contents;
mod float;
#[doc(hidden)]
pub mod format;
pub mod ir;
mod layout;
mod machine;
mod private;
mod runtime;
mod saved;
mod tables;
pub mod text;
mod undefined;

pub use machine::{INDEX, LoopBound, ModuleError, Options, VmMachine, VmState};
pub use saved::SavedTables;
