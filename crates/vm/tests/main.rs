//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod arithmetic;
mod assumptions;
mod barriers;
mod cells;
mod common;
mod dependencies;
mod errors;
mod exchange;
mod explored;
mod idioms;
mod library;
mod lock_order;
mod mixed_sizes;
mod programs;
mod threads;
mod unknown;
mod zne;
