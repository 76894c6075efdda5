//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod cat;
mod common;
mod errors;
mod files;
mod kat;
mod random;
#[path = "common/tokens.rs"]
mod tokens;
