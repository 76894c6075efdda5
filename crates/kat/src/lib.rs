//! The model language (`.kat`, and the part of herd's `.cat` that stays inside Kleene algebra with
//! tests): from text to a [`Theory`], with errors for people.
//!
//! Text becomes tokens (`lexer`), tokens become items and expressions in which nothing is looked up
//! yet (`parser`, with `kat` and `cat` for the items of the dialects), and these become a theory
//! (`resolve`, with `terms` for expressions). `print` goes the other way.

pub mod arden;
pub mod ast;
mod cat;
mod kat;
mod lexer;
mod load;
mod names;
mod parser;
mod print;
mod property;
mod resolve;
mod size;
mod source;
mod syntax;
mod terms;
mod walk;

pub use ast::{Axiom, Constraint, Def, DefBody, DefId, Inclusion, Pred, Prim, Rel, Set, Theory};
pub use lexer::Dialect;
pub use load::{
    builtin, builtin_names, load, load_named, load_persistency, parse, persistency_models, races_of_c,
};
pub use print::Shown;
pub use property::{Declared, Property};
pub use selvedge_diagnostic::{Diagnostic, Span};
pub use walk::{Sign, Subterm, Walk};
