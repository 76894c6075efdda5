//! The model language (`.kat`, and the part of herd's `.cat` that stays inside Kleene algebra with
//! tests): from text to a [`Theory`], with errors for people.

pub mod ast;
pub mod diag;

pub use ast::{Axiom, Constraint, Def, DefBody, DefId, Inclusion, Pred, Prim, Rel, Set, Theory};
pub use diag::{Diagnostic, Span};
