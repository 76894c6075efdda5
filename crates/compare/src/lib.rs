//! Explorer against oracle: on generated programs and models, and on litmus tests, both must find the same
//! executions ([`compare`]), many times over ([`campaign`]; the command is `selvedge-fuzz`).
//!
//! The one place where the two meet: each is linked here, and neither knows the other.

pub mod campaign;
pub mod compare;
mod outcome;

pub use outcome::explored;
