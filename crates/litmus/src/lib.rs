//! Litmus tests in herd's C dialect and in assembly: from text to a [`Program`](selvedge_machine::Program),
//! and from final states to a verdict in herd's words.
//!
//! A test goes through the files of this crate in order: `lex` cuts the text into tokens, `syntax`
//! (statements and expressions) and `file` (everything around them) make a tree of it, `lower`
//! compiles each thread to the register language, `cond` resolves the condition, and `histogram`
//! collects what executions ended in. `print` goes the other way. Tests in assembly go through `asm`
//! instead of `syntax` and `lower`.
//!
//! What C leaves to the machine is fixed: all values are 64-bit integers that wrap around, whatever
//! their declared type. Loops are bounded (see [`Options`]); an execution that reaches a bound is cut
//! and reported as such, never dropped.

mod asm;
mod bounds;
mod calls;
mod cond;
mod expr;
mod file;
mod histogram;
mod lex;
mod lower;
mod print;
mod source;
mod syntax;
mod test;
mod tree;

pub use cond::{Cond, Observable, Quantifier};
pub use histogram::{Histogram, Observation, State, Verdict};
pub use print::print_program;
pub use source::Place as TextPlace;
pub use test::{Expectation, Options, Test, parse};
