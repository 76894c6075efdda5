//! Benchmark programs, written from the descriptions in thesis ch. 10.2 and seed 002.

pub mod programs;
