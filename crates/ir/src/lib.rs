//! Selvedge's bytecode: the data, its text form, its control flow, and all that is found in a program before
//! it runs.
//!
//! A front end makes a [`Module`] and lets [`passes::run`] find the loops in it:
//!
//! ```
//! use selvedge_ir::{Instr, passes, text};
//! use selvedge_machine::Reductions;
//!
//! let mut module = text::parse(
//!     "global @x size 4 align 4 = zero 4
//!      func &main() results 1 regs 2 {
//!      again:
//!          r0 = load.4.acq @x
//!          r1 = cmp.eq.32 r0, 0
//!          branch r1, again, done
//!      done:
//!          return (0)
//!      }",
//! )?;
//! passes::run(&mut module, Reductions::ALL);
//! // The loop waits for another value of `x`.
//! assert!(module.functions[0].code.contains(&Instr::SpinBlock { number: 0 }));
//! # Ok::<(), text::ParseError>(())
//! ```
//!
//! The data is in this module itself; [`text`] reads and prints it; [`arith`] says what its operations on
//! integers mean; [`mod@cfg`] and [`liveness`] are what passes stand on; [`analysis`] has what is asked
//! without changing anything, by the passes and by the machine that runs a module. Nothing here knows where
//! a module comes from, nor how it is run, nor of memory models.

pub mod analysis;
pub mod arith;
mod bytecode;
pub mod cfg;
pub mod check;
pub mod harness;
mod instr;
pub mod library;
pub mod liveness;
pub mod passes;
pub mod text;

pub use bytecode::*;
