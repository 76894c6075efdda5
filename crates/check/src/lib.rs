//! The verifier as a library.

mod settle;

pub use settle::{Attempt, Settling, settle};
