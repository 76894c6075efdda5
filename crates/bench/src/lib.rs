//! Benchmark programs and the published figures about them: thesis ch. 10.2 and 10.3, Kokologiannakis21 and
//! Kokologiannakis24.

pub mod catalogue;
pub mod page;
pub mod programs;
