//! Compiled .NET assemblies as ECMA-335 lays them down: the PE file around them, metadata tables, signatures,
//! method bodies; and where their instructions come from in the source (portable PDB, mono's `.mdb`).
//!
//! [`Assembly::read`] looks at headers and row sizes only. Everything else is decoded where it is asked for: a
//! class library has thousands of methods, and a program uses a few. Every offset and index of a file is checked
//! when it is followed; what does not fit is an [`Error`], never a panic.

mod assembly;
mod body;
mod bytes;
mod lines;
mod opcode;
mod pe;
mod signature;
mod tables;

pub use assembly::{Assembly, Scope};
pub use body::{Body, Clause, ClauseKind, Inst, Operand};
pub use lines::{Lines, SequencePoint};
pub use opcode::Op;
pub use signature::{FieldSig, MethodSig, TypeSig};
pub use tables::{Table, Token};

/// Why a file is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// It ends where something should be.
    #[error("the file ends in the middle of {0}")]
    Short(&'static str),
    /// It is something else.
    #[error("{0}")]
    Format(String),
}

pub(crate) fn bad<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::Format(message.into()))
}
