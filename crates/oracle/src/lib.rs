//! The other half of every claim about the explorer: a deliberately naive enumerator.
//!
//! It runs programs with its own interpreter, tries all `rf` and all `co`, and lets `selvedge-certify`
//! evaluate the axioms of a model on boolean matrices. Nothing on the way from text to verdict is shared
//! with `model` and `explore`, and neither is linked here: on generated programs and models, the explorer
//! must find exactly the executions that are found here, and `selvedge-compare` sees to it.

pub mod c_source;
pub mod canon;
pub mod enumerate;
pub mod execution;
pub mod family;
pub mod generate;
pub mod generate_arch;
pub mod generate_model;
pub mod property;
pub mod shrink;
pub mod trace;

pub use canon::Canon;
pub use enumerate::{Detail, Limits, Tally, enumerate};
pub use execution::{End, Execution};
pub use selvedge_certify::{Judge, Unsupported};
pub use trace::TooBig;
