//! What a model's text says of one finite execution: every term a boolean matrix, computed as its
//! definition says.
//!
//! This is the evaluator of the oracle, in a crate of its own because certificates need it, too: `decide`
//! evaluates each counterexample before it shows it, and `selvedge model --certify` looks at all small
//! executions. It is linked into the command for these only. It knows no programs and never decides what
//! a check of a program says: that is what it is the judge of.
//!
//! It shares no code with `model`, `explore` and `decide` between a theory and its verdict.

pub mod eval;
pub mod execution;
pub mod matrix;
mod schedule;
mod terms;

pub use eval::{Judge, Unsupported};
pub use execution::{Event, Relations};
pub use matrix::Matrix;
