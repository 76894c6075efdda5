//! Families of litmus tests with the verdicts that the literature states.
//!
//! A test is a cycle of accesses: within a thread from one location to the next, kept in order by some
//! mechanism (a fence, a dependency, an ordering) or by none, and between threads from one access to
//! another of the same location (`shape`). `emit` writes it as a litmus test of an architecture; `table`
//! reads the tables of verdicts; `outcome` asks the enumeration.

mod emit;
mod outcome;
mod shape;
mod table;

pub use emit::Dialect;
pub use outcome::{Found, observe};
pub use shape::{Case, SHAPES};
pub use table::{TableEntry, read};
