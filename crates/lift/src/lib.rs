//! From a program to a parameterised system: what one of N threads does, as steps of a `.par` text.
//!
//! The program was compiled for several N; what is the same in all is its text, and numbers that differ are
//! multiples of N or of its logarithm ([`samples`]). A thread is followed from one access to shared memory to
//! the next, with terms for values ([`follow`]); each way from one to the next is a step. What comes of it is
//! text ([`print`]), for people to read and for `selvedge-prove`.
//!
//! Accesses are sequentially consistent, and numbers do not overflow: both are assumed, not shown.

#![warn(missing_docs)]

mod follow;
mod print;
mod samples;
mod term;
mod variables;

use selvedge_diagnostic::{Diagnostic, Span};
use selvedge_ir::Module;

/// Why there is no system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The file, if it is about a place.
    pub file: String,
    /// From 1; 0 if it is about none.
    pub line: u32,
    /// From 1; 0 if it is about the line.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl Error {
    pub(crate) fn plain(message: &str) -> Error {
        Error { file: String::new(), line: 0, column: 0, message: message.to_string() }
    }

    /// As other messages about texts.
    pub fn diagnostic(&self) -> Diagnostic {
        if self.line == 0 {
            return Diagnostic::plain(&self.message);
        }
        let span = Span { file: self.file.as_str().into(), line: self.line, col: self.column.max(1), len: 1 };
        Diagnostic::at(span, &self.message)
    }
}

/// The system that a function is, run by all threads, each with its number as the argument.
///
/// `compiled` is the program for several numbers of threads.
///
/// # Errors
/// Says what is outside of what can be derived, and where.
pub fn lift(compiled: Vec<(u64, Module)>, function: &str) -> Result<String, Error> {
    let samples = samples::Samples::new(compiled)?;
    let derived = follow::derive(&samples, function)?;
    print::text(&samples, function, derived)
}
