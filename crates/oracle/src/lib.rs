//! The other half of every claim about the explorer: a deliberately naive enumerator.
//!
//! It runs programs with its own interpreter, tries all `rf` and all `co`, and evaluates the axioms
//! of a model on boolean matrices. On generated programs and models, the explorer must find exactly
//! the executions that are found here ([`compare`]).

pub mod c_source;
pub mod campaign;
pub mod canon;
pub mod compare;
pub mod enumerate;
pub mod eval;
pub mod execution;
pub mod family;
pub mod generate;
pub mod generate_arch;
pub mod generate_model;
pub mod matrix;
pub mod property;
pub mod shrink;
mod terms;
pub mod trace;

pub use canon::Canon;
pub use enumerate::{Detail, Limits, Tally, enumerate};
pub use eval::{Judge, Unsupported};
pub use execution::{End, Execution};
pub use trace::TooBig;
