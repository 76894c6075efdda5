//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod arrivals;
mod generated;
mod naming;
mod race_free;
mod side_by_side;
mod waits;
mod witness;
