//! Undefined values: generated sequential C programs that have some, and judges that say where the first one
//! is used, if one is.
//!
//! `generate` writes programs; `parse` reads the IR (`ir`) that clang makes of them and `eval` runs it bit
//! by bit, as naively as can be (`bits` has the rules); `native` has MemorySanitizer and memcheck run them;
//! `ours` asks Selvedge. `compare` brings them together, and `shrink` makes small what they disagree on.
//!
//! *Invariant:* apart from `ours`, nothing here knows of Selvedge's lowering and machine.

pub mod bits;
pub mod compare;
pub mod eval;
pub mod generate;
pub mod ir;
pub mod native;
pub mod ours;
pub mod parse;
pub mod shrink;
