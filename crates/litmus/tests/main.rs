//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod asm;
mod errors;
mod fuzz;
mod parse;
mod roundtrip;
mod sizes;
mod support;
#[path = "support/tokens.rs"]
mod tokens;
