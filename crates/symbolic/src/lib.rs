//! Numbers that are not known, and what follows from what is known of them.
//!
//! A program may be told any number from outside. It is carried as a [`Term`]: an unknown, or what was
//! computed from unknowns, with a width of 1 to 128 bits. Terms are shared and brought into a normal form
//! when they are made ([`Terms`]), so that much is decided by looking: `a + b - a` is `b`.
//!
//! What is known of unknowns are *facts*, terms of one bit that hold. [`Solver`] tells whether numbers
//! exist of which given facts hold, and which: terms are made of gates (`blast`), and gates are given to a
//! solver for propositional logic (`sat`); what follows from the size of numbers alone is seen before that
//! (`ranges`). This is exact for all operations on integers, and needs no theory of any of them; nothing is
//! rounded, nothing wraps where it should not. What it may take is bounded: beyond that the answer is that
//! nobody knows.

mod blast;
mod build;
mod eval;
mod ranges;
mod sat;
mod solver;
mod term;

pub use eval::Model;
pub use solver::{Answer, Solver, Values};
pub use term::{Node, Term, Terms};
