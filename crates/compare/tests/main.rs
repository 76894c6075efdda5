//! All tests of this crate that use it from outside, as one binary: what they instantiate is compiled once.

mod agreement;
mod awaits;
mod common;
mod dependencies;
mod hardware;
mod pairs;
mod persistency;
mod properties;
mod simplified;
mod states;
mod symmetry;
mod thin_air;
mod units;
