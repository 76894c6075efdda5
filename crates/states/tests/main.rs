//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod cells;
