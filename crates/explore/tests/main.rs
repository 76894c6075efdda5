//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod classics;
mod engine;
mod paths;
mod sections;
mod small_machine;
