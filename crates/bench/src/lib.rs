//! Benchmark programs and the published figures about them: thesis ch. 10.2 and 10.3, seeds 000 and 002.

pub mod catalogue;
pub mod programs;
