//! Safety and deadlock-freedom of parameterised systems: for every number of threads, every tree.
//!
//! A system is a `.par` text ([`parse`]): sorts, variables, steps of threads, an invariant, properties.
//! [`prove`] looks at small instances state by state, then shows by SMT solvers that the invariant holds at
//! first, that every step keeps it, that it implies the properties and that nobody is stuck. `docs/prove.md`
//! has the language and what is decided how.

#![warn(missing_docs)]

pub mod counters;
pub mod eval;
pub mod expand;
pub mod expr;
pub mod first_order;
mod forever;
mod formula;
pub mod infer;
mod lexer;
pub mod minimal;
pub mod obligation;
mod parser;
mod print;
pub mod prover;
pub mod ranks;
pub mod reach;
mod regions;
pub mod render;
pub mod rewrite;
mod small;
pub mod solver;
mod steps;
pub mod structure;
pub mod system;
pub mod theory;
pub mod value;
mod ways;

pub use parser::{parse, parse_derived};
pub use prover::{Options, Report, Verdict, prove};
