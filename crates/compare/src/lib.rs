//! Explorer against oracle: on generated programs and models, and on litmus tests, both must find the same
//! executions ([`compare`]), many times over ([`campaign`]; the command is `selvedge-fuzz`).
//!
//! Explorer against the search through states, in the same way ([`states`]; `selvedge-fuzz --against
//! states`).
//!
//! The one place where they meet: each is linked here, and none knows another.

pub mod campaign;
pub mod compare;
mod outcome;
pub mod states;

pub use outcome::explored;
