//! The machine that runs Selvedge's bytecode (`selvedge_ir`).
//!
//! [`VmMachine`] is what the explorer runs. Memory that threads share is divided into cells (`layout`);
//! library functions are bytecode, too (`runtime`).

mod annotated;
mod contents;
mod extended;
mod float;
#[doc(hidden)]
pub mod format;
mod layout;
mod lock_parts;
mod machine;
mod private;
mod runtime;
mod saved;
mod tables;
mod undefined;

pub use machine::{
    DiskOptions, LoopBound, ModuleError, NondetRange, Options, VmMachine, VmState, is_bad_input,
};
pub use saved::SavedTables;
