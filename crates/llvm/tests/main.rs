//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod bisimilar;
mod carry;
mod control;
mod data;
mod driver;
mod memory;
mod pef;
mod places;
#[path = "support/run.rs"]
mod run;
mod spin;
mod support;
mod zne;
